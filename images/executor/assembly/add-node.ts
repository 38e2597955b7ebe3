import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expectArchitecture } from './expect-architecture.ts';
import { isThere } from './is-there.ts';
import type { Order } from './order.ts';
import { AssemblyError, run } from './run.ts';

/** Puts the Node.js program into the image: the one that is given, or the one of the npm package, whose checksum is known. */
export async function addNode(order: Order, folder: string): Promise<void> {
  const target = join(folder, 'usr/local/bin/node');
  await mkdir(join(folder, 'usr/local/bin'), { recursive: true });
  if (order.node === undefined) {
    const archive = await fetchPackage(order);
    await run('tar', [
      '-xzf',
      archive,
      '-C',
      join(folder, 'usr/local/bin'),
      '--strip-components=2',
      'package/bin/node',
    ]);
  } else {
    await copyFile(order.node, target);
  }
  await chmod(target, 0o755);
  await expectArchitecture(target, order.architecture);
}

/** `npm pack` asks the registry that this machine is told to ask. */
async function fetchPackage({ contents, architecture, cache, report }: Order): Promise<string> {
  const { version, packages } = contents.node;
  const { name, integrity } = packages[architecture];
  const archive = join(cache, `${name}-${version}.tgz`);
  if (!(await isThere(archive))) {
    report(`fetching ${name}@${version}`);
    const draft = await mkdtemp(join(cache, 'node.'));
    await run('npm', ['pack', '--silent', '--pack-destination', draft, `${name}@${version}`], { cwd: draft });
    await rename(join(draft, `${name}-${version}.tgz`), archive);
    await rm(draft, { recursive: true });
  }
  const found = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`;
  if (found === integrity) return archive;
  await rm(archive);
  throw new AssemblyError(
    `${name}@${version} is not what contents.yaml names: ${found} instead of ${integrity}`,
    'find out which of the two is right before you change contents.yaml',
  );
}
