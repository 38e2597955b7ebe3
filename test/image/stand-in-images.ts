import { existsSync, realpathSync } from 'node:fs';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addNode } from '../../images/executor/assembly/add-node.ts';
import { cacheFolder } from '../../images/executor/assembly/cache-folder.ts';
import { architectures, type Contents, here } from '../../images/executor/assembly/contents.ts';
import { run } from '../../images/executor/assembly/run.ts';
import { writeLayout } from '../../images/executor/assembly/write-layout.ts';

export interface StandIn {
  readonly layout: string;
  readonly digest: string;
}

/**
 * The two images that the Dockerfile builds from, for a machine that reaches no registry: a Debian with Node.js and npm, and one with Go.
 * They have what the Dockerfile uses of the real ones, at the same places; Go is the one of this machine.
 */
export async function makeStandIns(
  repository: string,
  contents: Contents,
  { folder, mirror }: { readonly folder: string; readonly mirror: string | undefined },
): Promise<StandIns> {
  await rm(join(folder, 'parts'), { recursive: true, force: true });
  const debian = await makeDebian(contents.debian.suite, join(folder, 'debian'), mirror);
  const npm = await copyNpm(join(folder, 'parts/npm'));
  const roots: { architecture: (typeof architectures)[number]; folders: string[] }[] = [];
  for (const architecture of architectures) {
    const node = join(folder, 'parts', `node-${architecture}`);
    const cache = cacheFolder(process.env);
    await addNode({ repository, contents, architecture, cache, env: process.env, report: () => undefined }, node);
    // Of the other machine nothing but Node.js is taken, and nothing is run.
    roots.push({ architecture, folders: architecture === here() ? [debian, node, npm] : [node] });
  }
  const go = await copyGo(join(folder, 'parts/go'));
  return {
    node: await write(join(folder, 'node'), roots, contents),
    go: await write(join(folder, 'go'), [{ architecture: here(), folders: [go] }], contents),
  };
}

export interface StandIns {
  readonly node: StandIn;
  readonly go: StandIn;
}

async function write(layout: string, roots: Parameters<typeof writeLayout>[1], contents: Contents): Promise<StandIn> {
  const environment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  const config = { user: '0:0', workingDirectory: '/', entrypoint: [], environment, labels: {} };
  const facts = { contents: { ...contents, config }, version: 'stand-in', epoch: 0 };
  return { layout, digest: await writeLayout(layout, roots, facts) };
}

/** As small as the slim images are; kept for the next time. */
async function makeDebian(suite: string, folder: string, mirror: string | undefined): Promise<string> {
  if (existsSync(join(folder, 'var/lib/dpkg/status'))) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  const words = ['--quiet', '--mode=root', '--variant=apt', '--format=directory', suite, folder];
  await run('mmdebstrap', [...words, ...(mirror ? [mirror] : [])]);
  // As in the real ones: to put mirrors there is for the Dockerfile.
  const debian = 'http://deb.debian.org/debian';
  const lines = [`deb ${debian} ${suite} main`, `deb ${debian}-security ${suite}-security main`];
  await writeFile(join(folder, 'etc/apt/sources.list'), `${lines.join('\n')}\n`);
  return folder;
}

async function copyNpm(folder: string): Promise<string> {
  const found = (await run('sh', ['-c', 'command -v npm'])).trim();
  const home = dirname(dirname(realpathSync(found)));
  await mkdir(join(folder, 'usr/local/bin'), { recursive: true });
  await cp(home, join(folder, 'usr/local/lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm'));
  return folder;
}

async function copyGo(folder: string): Promise<string> {
  const home = (await run('go', ['env', 'GOROOT'])).trim();
  await cp(home, join(folder, 'usr/local/go'), { recursive: true });
  return folder;
}
