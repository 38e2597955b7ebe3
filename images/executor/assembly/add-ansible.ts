import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Architecture } from './contents.ts';
import { isThere } from './is-there.ts';
import type { Order } from './order.ts';
import { AssemblyError, run } from './run.ts';

/**
 * Makes the virtual environment with Ansible. pip runs here and lays out packages for the image's Python and architecture, which it never
 * runs: every package is locked with its checksum, so nothing has to be resolved.
 */
export async function addAnsible(order: Order, folder: string): Promise<void> {
  const { home, python, requirements, collections } = order.contents.ansible;
  await expectPython(python);
  const environment = join(folder, home);
  const packages = join(environment, `lib/python${python}/site-packages`);
  await mkdir(packages, { recursive: true });
  order.report('installing Ansible and what it needs');
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--no-input',
    '--no-compile',
    '--no-deps',
  ];
  const locked = ['--require-hashes', '--requirement', join(order.repository, requirements)];
  await run('python3', [...pip, ...locked, ...platform(order.architecture, python), '--target', packages]);
  await keepCollections(join(packages, 'ansible_collections'), collections);
  await writeEnvironment(environment, python);
  await writeScripts(packages, join(environment, 'bin'), home);
  await forgetScripts(packages);
}

async function expectPython(wanted: string): Promise<void> {
  const found = (await run('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'])).trim();
  if (found === wanted) return;
  // Byte code of another one would be ignored, and nobody would notice but by the time it takes.
  throw new AssemblyError(
    `python3 is ${found}, and the image has ${wanted}`,
    `put a python3 ${wanted} with pip first in PATH`,
  );
}

function platform(architecture: Architecture, python: string): string[] {
  const machine = { amd64: 'x86_64', arm64: 'aarch64' }[architecture];
  // Debian 12 has glibc 2.36; these are the lines that packages are published for.
  const lines = ['manylinux_2_34', 'manylinux_2_28', 'manylinux_2_17', 'manylinux2014'];
  const platforms = lines.flatMap((line) => ['--platform', `${line}_${machine}`]);
  return [...platforms, '--implementation', 'cp', '--python-version', python];
}

async function keepCollections(folder: string, kept: readonly string[]): Promise<void> {
  for (const namespace of await foldersIn(folder)) {
    for (const name of await foldersIn(join(folder, namespace))) {
      if (!kept.includes(`${namespace}.${name}`)) await rm(join(folder, namespace, name), { recursive: true });
    }
    if (!kept.some((collection) => collection.startsWith(`${namespace}.`))) {
      await rm(join(folder, namespace), { recursive: true });
    }
  }
  for (const collection of kept) {
    for (const name of ['tests', 'docs', 'changelogs', '.github', '.azure-pipelines']) {
      await rm(join(folder, ...collection.split('.'), name), { recursive: true, force: true });
    }
  }
}

async function foldersIn(folder: string): Promise<string[]> {
  return (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

async function writeEnvironment(environment: string, python: string): Promise<void> {
  await mkdir(join(environment, 'bin'), { recursive: true });
  await symlink('/usr/bin/python3', join(environment, 'bin/python3'));
  await symlink('python3', join(environment, 'bin/python'));
  await writeFile(
    join(environment, 'pyvenv.cfg'),
    `home = /usr/bin\ninclude-system-site-packages = false\nversion = ${python}\n`,
  );
}

/** pip writes the scripts for the Python that it runs in; these are for the image's. */
async function writeScripts(packages: string, bin: string, home: string): Promise<void> {
  await rm(join(packages, 'bin'), { recursive: true, force: true });
  const core = (await readdir(packages)).find((name) => /^ansible_core-.*\.dist-info$/.test(name));
  if (core === undefined) throw new AssemblyError('ansible-core was not installed', 'see bootstrap/requirements.txt');
  const entries = await readFile(join(packages, core, 'entry_points.txt'), 'utf8');
  for (const [, name = '', module = '', call = ''] of entries.matchAll(/^([\w-]+)\s*=\s*([\w.]+):(\w+)/gm)) {
    const script = `#!${home}/bin/python3\nimport sys\nfrom ${module} import ${call}\nsys.exit(${call}())\n`;
    await writeFile(join(bin, name), script, { mode: 0o755 });
  }
}

/** pip notes checksums of its scripts, and in them stands where its own Python lies: the image would depend on who assembles it. */
async function forgetScripts(packages: string): Promise<void> {
  for (const name of await foldersIn(packages)) {
    const record = join(packages, name, 'RECORD');
    if (!name.endsWith('.dist-info') || !(await isThere(record))) continue;
    const lines = (await readFile(record, 'utf8')).split('\n');
    await writeFile(record, lines.filter((line) => !line.startsWith('../../bin/')).join('\n'));
  }
}
