import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Component, packageUrl } from './bill-of-materials.ts';
import type { Contents } from './contents.ts';
import { isThere } from './is-there.ts';
import { readBuildInfo } from './read-build-info.ts';

/** Debian packages, from what dpkg would call its status. */
export async function debianComponents(folder: string, suite: string): Promise<Component[]> {
  const status = await readFile(join(folder, 'var/lib/dpkg/status'), 'utf8');
  return status.split('\n\n').map((paragraph) => {
    const [name, version, arch] = ['Package', 'Version', 'Architecture'].map((field) => fieldOf(paragraph, field));
    if (name === undefined || version === undefined || arch === undefined) throw new Error(`no package: ${paragraph}`);
    const purl = packageUrl('deb', `debian/${name}`, version, { arch, distro: suite });
    return { type: 'library', name, version, purl };
  });
}

/** The Go programs, and the modules that each says it was built from. */
export async function goComponents(folder: string, programs: Contents['programs']): Promise<Component[]> {
  return Promise.all(
    Object.entries(programs).map(async ([name, { module, version }]): Promise<Component> => {
      const info = await readBuildInfo(join(folder, 'usr/local/bin', name));
      const standard = { path: 'stdlib', version: info?.go.replace(/^go/, '') ?? 'unknown' };
      const parts = [...(info?.modules ?? []), standard].map((part): Component => {
        return {
          type: 'library',
          name: part.path,
          version: part.version,
          purl: packageUrl('golang', part.path, part.version),
        };
      });
      return { type: 'application', name, version, purl: packageUrl('golang', module, `v${version}`), parts };
    }),
  );
}

/** Python packages, and the collections that came with Ansible. */
export async function pythonComponents(packages: string): Promise<Component[]> {
  const found: Component[] = [];
  for (const name of (await readdir(packages)).filter((entry) => entry.endsWith('.dist-info'))) {
    found.push(pythonPackage(await readFile(join(packages, name, 'METADATA'), 'utf8')));
  }
  const collections = join(packages, 'ansible_collections');
  const manifests = (await readdir(collections, { recursive: true })).filter((path) =>
    /^[^/]+\/[^/]+\/MANIFEST\.json$/.test(path),
  );
  for (const path of manifests) {
    const { collection_info: info } = JSON.parse(await readFile(join(collections, path), 'utf8'));
    const name = `${info.namespace}.${info.name}`;
    found.push({
      type: 'library',
      name,
      version: info.version,
      purl: packageUrl('generic', `ansible-collection/${name}`, info.version),
    });
  }
  return found;
}

function pythonPackage(metadata: string): Component {
  const head = metadata.split('\n\n')[0] ?? '';
  const [name = '', version = ''] = [fieldOf(head, 'Name'), fieldOf(head, 'Version')];
  const license = fieldOf(head, 'License-Expression') ?? fieldOf(head, 'License');
  const purl = packageUrl('pypi', name.toLowerCase().replaceAll(/[-_.]+/g, '-'), version);
  return { type: 'library', name, version, purl, ...(license === undefined ? {} : { license }) };
}

/** The packages of npm that our program is made of. */
export async function npmComponents(folders: readonly string[]): Promise<Component[]> {
  return Promise.all(
    folders.map(async (folder): Promise<Component> => {
      const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      return {
        type: 'library',
        name,
        version,
        purl: packageUrl('npm', name, version),
        ...(typeof license === 'string' ? { license } : {}),
      };
    }),
  );
}

/** The Helm charts in a folder. */
export async function chartComponents(folder: string): Promise<Component[]> {
  if (!(await isThere(folder))) return [];
  return Promise.all(
    (await readdir(folder)).sort().map(async (name): Promise<Component> => {
      const { version } = parse(await readFile(join(folder, name, 'Chart.yaml'), 'utf8'));
      return { type: 'data', name, version, purl: packageUrl('helm', name, version) };
    }),
  );
}

function fieldOf(paragraph: string, field: string): string | undefined {
  return new RegExp(`^${field}: *(.+)$`, 'm').exec(paragraph)?.[1]?.trim();
}
