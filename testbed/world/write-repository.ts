import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Where the newest commit stands, whatever branches a platform asks for. */
const mainRef = 'refs/heads/main';

/** Commits exactly these files on main and on these branches, when they differ from what is there. Readers see the old commit or the new one. */
export async function writeRepository(
  repository: string,
  { files, branches }: { readonly files: ReadonlyMap<string, string>; readonly branches: readonly string[] },
): Promise<string> {
  const next = `${repository}.next`;
  await mkdir(repository, { recursive: true });
  if (!existsSync(join(repository, '.git', 'HEAD'))) await git(repository, ['init', '-q', '-b', 'main']);
  await writeFiles(next, files);
  const index = join(repository, '.git', 'next-index');
  await rm(index, { force: true });
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: next, GIT_DIR: join(repository, '.git') };
  await git(next, ['add', '--all', '--force', '.'], env);
  const tree = await git(next, ['write-tree'], env);
  const commit = await commitOf(repository, tree);
  for (const branch of branches) await git(repository, ['update-ref', `refs/heads/${branch}`, commit]);
  // Last: what stands here has been published on every branch.
  await git(repository, ['update-ref', mainRef, commit]);
  await showFiles(repository, next);
  return commit;
}

async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function commitOf(repository: string, tree: string): Promise<string> {
  const parent = await git(repository, ['rev-parse', '--verify', '--quiet', mainRef]).catch(() => undefined);
  if (parent === undefined) return git(repository, ['commit-tree', tree, '-m', 'Publish the platform']);
  const same = (await git(repository, ['rev-parse', `${parent}^{tree}`])) === tree;
  return same ? parent : git(repository, ['commit-tree', tree, '-p', parent, '-m', 'Publish the platform']);
}

/** For people who look: the work tree shows the commit. Nobody else reads it. */
async function showFiles(repository: string, next: string): Promise<void> {
  for (const name of await readdir(repository)) {
    if (name !== '.git') await rm(join(repository, name), { recursive: true, force: true });
  }
  for (const name of await readdir(next)) await rename(join(next, name), join(repository, name));
  await rm(next, { recursive: true });
  // Somebody killed here before us may have left its lock; nobody else writes this repository.
  await rm(join(repository, '.git', 'index.lock'), { force: true });
  await rename(join(repository, '.git', 'next-index'), join(repository, '.git', 'index'));
}

async function git(folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const identity = ['-c', 'user.name=testbed', '-c', 'user.email=testbed@localhost', '-c', 'commit.gpgSign=false'];
  // Nobody's own settings of Git, such as line endings or templates, may change what is published.
  const settings = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const { stdout } = await execute('git', [...identity, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...settings, ...env },
  });
  return stdout.trim();
}
