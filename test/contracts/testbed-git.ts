import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import type { ContractGit, GitContent } from './cluster.ts';

const run = promisify(execFile);

/** A Git work tree that Argo CD reads by its `file://` address. */
export function gitFolder(folder: string): ContractGit {
  const git = async (...words: string[]): Promise<string> => {
    const { stdout } = await run('git', ['-C', folder, ...identity, ...words]);
    return stdout.trim();
  };
  let isThere = false;
  return {
    url: `file://${folder}`,
    async commit(paths) {
      if (!isThere) {
        await mkdir(folder, { recursive: true });
        await git('init', '--quiet', '--initial-branch=main');
        isThere = true;
      }
      for (const [path, content] of Object.entries(paths)) await write(join(folder, path), content);
      await git('add', '--all');
      await git('commit', '--quiet', '--allow-empty', '--message', 'Change what the case wants');
      return git('rev-parse', 'HEAD');
    },
  };
}

const identity = ['-c', 'user.name=contract', '-c', 'user.email=contract@example.com', '-c', 'commit.gpgsign=false'];

async function write(folder: string, content: GitContent): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [file, text] of Object.entries(filesOf(content))) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

function filesOf(content: GitContent): Readonly<Record<string, string>> {
  if ('files' in content) return content.files;
  if ('broken' in content) return { 'broken.yaml': content.broken };
  // Git keeps no empty folder.
  if (content.length === 0) return { 'empty.txt': 'Nothing is wanted here.\n' };
  return { 'objects.yaml': content.map((object) => stringify(object)).join('---\n') };
}
