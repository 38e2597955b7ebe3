import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packagesOf } from '../../images/executor/assembly/add-tiphys.ts';
import { billOfMaterials, type Component, packageUrl } from '../../images/executor/assembly/bill-of-materials.ts';
import { parseSimulation } from '../../images/executor/assembly/download-packages.ts';
import { debianComponents, pythonComponents } from '../../images/executor/assembly/find-components.ts';
import { readBuildInfo } from '../../images/executor/assembly/read-build-info.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-bill-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the bill of materials', () => {
  it('names everything once, and says what a program was built from', () => {
    const module = component('golang', 'example.com/module', 'v1.0.0');
    const helm = { ...component('golang', 'helm.sh/helm/v3', 'v3.21.4'), parts: [module] };
    const yq = { ...component('golang', 'yq', 'v4.1.0'), parts: [module] };
    expect(billOfMaterials({ name: 'image', version: '1' }, [yq, helm, helm])).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: expect.stringMatching(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
      components: [{ purl: module.purl }, { purl: helm.purl }, { purl: yq.purl }],
      dependencies: expect.arrayContaining([
        { ref: 'image', dependsOn: [helm.purl, yq.purl] },
        { ref: helm.purl, dependsOn: [module.purl] },
      ]),
    });
  });

  it('is the same for the same content, in whichever order it was found', () => {
    const found = ['b', 'a', 'c'].map((name) => component('npm', name, '1.0.0'));
    const bill = (components: Component[]) =>
      JSON.stringify(billOfMaterials({ name: 'image', version: '1' }, components));
    expect(bill(found)).toBe(bill(found.toReversed()));
    expect(bill(found)).not.toBe(bill(found.slice(1)));
  });

  it('writes names as package URLs want them', () => {
    expect(packageUrl('npm', '@kubernetes/client-node', '1.4.0')).toBe('pkg:npm/%40kubernetes/client-node@1.4.0');
    expect(packageUrl('deb', 'debian/git', '1:2.39.5-0+deb12u2', { arch: 'amd64' })).toBe(
      'pkg:deb/debian/git@1%3A2.39.5-0%2Bdeb12u2?arch=amd64',
    );
  });
});

describe('what is found in the layers', () => {
  it('reads Debian packages from the status of dpkg', async () => {
    mkdirSync(join(folder, 'var/lib/dpkg'), { recursive: true });
    const paragraph = (name: string) =>
      `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1:2-3\nDescription: text\n Version: no field`;
    writeFileSync(join(folder, 'var/lib/dpkg/status'), `${paragraph('git')}\n\n${paragraph('jq')}\n`);
    expect((await debianComponents(folder, 'bookworm')).map(({ purl }) => purl)).toEqual([
      'pkg:deb/debian/git@1%3A2-3?arch=amd64&distro=bookworm',
      'pkg:deb/debian/jq@1%3A2-3?arch=amd64&distro=bookworm',
    ]);
  });

  it('reads Python packages, and the collections that came with Ansible', async () => {
    const packages = join(folder, 'site-packages');
    mkdirSync(join(packages, 'PyYAML-6.0.3.dist-info'), { recursive: true });
    writeFileSync(
      join(packages, 'PyYAML-6.0.3.dist-info/METADATA'),
      'Metadata-Version: 2.4\nName: PyYAML\nVersion: 6.0.3\nLicense: MIT\n\nName: in the text\n',
    );
    mkdirSync(join(packages, 'ansible_collections/kubernetes/core'), { recursive: true });
    writeFileSync(
      join(packages, 'ansible_collections/kubernetes/core/MANIFEST.json'),
      JSON.stringify({ collection_info: { namespace: 'kubernetes', name: 'core', version: '6.2.0' } }),
    );
    expect(await pythonComponents(packages)).toEqual([
      { type: 'library', name: 'PyYAML', version: '6.0.3', purl: 'pkg:pypi/pyyaml@6.0.3', license: 'MIT' },
      expect.objectContaining({ purl: 'pkg:generic/ansible-collection/kubernetes.core@6.2.0' }),
    ]);
  });

  it('reads what a Go program says it was built from, whatever it was built for', async () => {
    const list =
      'path\texample.com/cmd\nmod\texample.com\t(devel)\t\ndep\tk8s.io/api\tv0.0.0\n=>\tk8s.io/api\tv0.34.11\th1:x=\ndep\tsigs.k8s.io/yaml\tv1.6.0\th1:y=\n';
    const file = join(folder, 'program');
    writeFileSync(file, goProgram('go1.26.2', list));
    expect(await readBuildInfo(file)).toEqual({
      go: 'go1.26.2',
      path: 'example.com/cmd',
      modules: [
        { path: 'k8s.io/api', version: 'v0.34.11' },
        { path: 'sigs.k8s.io/yaml', version: 'v1.6.0' },
      ],
    });
    writeFileSync(file, 'no program of Go');
    expect(await readBuildInfo(file)).toBeUndefined();
  });

  it('knows which npm packages are in the bundle', () => {
    const inputs = [
      'src/cli/main.ts',
      'node_modules/yaml/dist/a.js',
      'node_modules/@a/b/node_modules/c/i.js',
      'node_modules/yaml/b.js',
    ];
    expect(packagesOf(inputs)).toEqual(['node_modules/@a/b/node_modules/c', 'node_modules/yaml']);
  });

  it('knows the files of the packages that apt would install', () => {
    const printed =
      'Inst gcc-12-base (12.2.0-14 Debian:12.5/oldstable [amd64])\nInst git (1:2.39.5-0+deb12u2 Debian:12.5/oldstable, Debian-Security:12 [amd64]) []\nConf git (1:2.39.5 x [amd64])\n';
    expect(parseSimulation(printed)).toEqual(['gcc-12-base_12.2.0-14_amd64.deb', 'git_1%3a2.39.5-0+deb12u2_amd64.deb']);
  });
});

function component(type: string, name: string, version: string): Component {
  return { type: 'library', name, version, purl: packageUrl(type, name, version) };
}

/** The note as the Go linker lays it out: after a mark that is not aligned, which is a constant of some program. */
function goProgram(go: string, list: string): Buffer {
  const mark = Buffer.from('\xff Go buildinf:', 'latin1');
  const header = Buffer.alloc(32);
  mark.copy(header);
  header[mark.length] = 8;
  header[mark.length + 1] = 2;
  const note = `${'0'.repeat(16)}${list}${'1'.repeat(16)}`;
  return Buffer.concat([
    Buffer.alloc(5),
    mark,
    Buffer.alloc(32 - 5 - mark.length),
    header,
    sized(go),
    sized(note),
    Buffer.alloc(64),
  ]);
}

function sized(text: string): Buffer {
  const bytes: number[] = [];
  let rest = text.length;
  for (; rest >= 0x80; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([...bytes, rest]), Buffer.from(text, 'latin1')]);
}
