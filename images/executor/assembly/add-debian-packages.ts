import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadPackages } from './download-packages.ts';
import type { Order } from './order.ts';
import { run } from './run.ts';

/**
 * Fills a folder with Debian packages and all that they depend on. Their files are laid out and their scripts left alone: that needs no
 * root, works for every architecture, and gives the same files each time. What the scripts would do and we need is done below.
 */
export async function addDebianPackages(order: Order, folder: string): Promise<void> {
  const packages = await downloadPackages(order);
  await mergeUsr(folder);
  order.report(`unpacking ${packages.length} Debian packages`);
  const { without } = order.contents.debian;
  for (const file of packages) await unpack(file, folder, without);
  await run('find', [join(folder, 'usr/share/doc'), '-type', 'f', '!', '-name', 'copyright', '-delete']);
  // Nobody in this image becomes somebody else.
  await run('find', [folder, '-type', 'f', '-perm', '/6000', '-exec', 'chmod', 'ug-s', '{}', '+']);
  await writeStatus(packages, folder);
  await trustAuthorities(folder);
}

/** As on every Debian of today: /bin is /usr/bin, and so on. Has to be there before the packages are. */
async function mergeUsr(folder: string): Promise<void> {
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    await mkdir(join(folder, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(folder, name));
  }
}

async function unpack(file: string, folder: string, without: readonly string[]): Promise<void> {
  const excluded = without.map((path) => `--exclude=./${path}`).join(' ');
  const untar = `tar -x -p --no-same-owner --keep-directory-symlink --anchored ${excluded} -C "$2"`;
  // With `pipefail` a package that is cut short is a failure; sh does not have it everywhere.
  await run('bash', ['-c', `set -o pipefail; dpkg-deb --fsys-tarfile "$1" | ${untar}`, 'unpack', file, folder]);
}

/** What is installed, where a package manager would keep it: scanners look there. */
async function writeStatus(packages: readonly string[], folder: string): Promise<void> {
  const paragraphs: string[] = [];
  for (const file of packages) {
    const control = (await run('dpkg-deb', ['--field', file])).trimEnd();
    paragraphs.push(control.replace(/^Package: .*$/m, '$&\nStatus: install ok installed'));
  }
  await mkdir(join(folder, 'var/lib/dpkg'), { recursive: true });
  await writeFile(join(folder, 'var/lib/dpkg/status'), `${paragraphs.sort().join('\n\n')}\n`);
}

/** The one file that OpenSSL, GnuTLS and Go look for; the package has only its parts. */
async function trustAuthorities(folder: string): Promise<void> {
  const source = join(folder, 'usr/share/ca-certificates/mozilla');
  const certificates: string[] = [];
  for (const name of (await readdir(source)).sort()) {
    if (name.endsWith('.crt')) certificates.push((await readFile(join(source, name), 'utf8')).trimEnd());
  }
  await mkdir(join(folder, 'etc/ssl/certs'), { recursive: true });
  await writeFile(join(folder, 'etc/ssl/certs/ca-certificates.crt'), `${certificates.join('\n')}\n`);
}
