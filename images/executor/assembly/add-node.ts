import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expectArchitecture } from './expect-architecture.ts';
import { isThere } from './is-there.ts';
import type { Order } from './order.ts';
import { readNodeVersion } from './read-node-version.ts';
import { AssemblyError, run } from './run.ts';

/**
 * Puts the Node.js program into the image: the one that is given, or the one of the npm package, whose checksum is known. Gives its
 * version, which for the given one of a base image is whatever that image has.
 */
export async function addNode(order: Order, folder: string): Promise<string> {
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
  return expectLine(target, order.contents.node.version);
}

/** The line of releases is part of the promise; which of its releases it is, the bill of materials says. */
async function expectLine(program: string, wanted: string): Promise<string> {
  const line = wanted.split('.')[0];
  const found = await readNodeVersion(program);
  if (found !== undefined && found.split('.')[0] === line) return found;
  throw new AssemblyError(
    `${program} is Node.js ${found ?? 'of no known version'}, and the image has Node.js ${line}`,
    `give a Node.js ${line} as the Node.js project publishes it`,
  );
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
