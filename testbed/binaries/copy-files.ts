import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFolder } from './place-folder.ts';

/** Copies a file or a folder out of the module cache: by hand, because that is read-only, folders too, and its modes would come along. */
export async function copyFiles(from: string, to: string): Promise<void> {
  if (await isFolder(from)) {
    for (const name of await readdir(from)) await copyFiles(join(from, name), join(to, name));
    return;
  }
  await mkdir(dirname(to), { recursive: true });
  await writeFile(to, await readFile(from), { mode: to.endsWith('.sh') ? 0o755 : 0o644 });
}
