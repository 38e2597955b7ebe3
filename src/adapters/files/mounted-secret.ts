import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A secret as a pod sees it: one file, or a folder with a file for each key. Its content goes into no message. */
export type MountedSecret =
  | { readonly kind: 'file'; readonly text: string }
  | { readonly kind: 'folder'; readonly files: ReadonlyMap<string, string> }
  | { readonly kind: 'absent'; readonly because: string };

/** Reads what is mounted at this path. */
export async function mountedSecret(path: string): Promise<MountedSecret> {
  try {
    return { kind: 'file', text: await readFile(path, 'utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') return folderAt(path);
    return { kind: 'absent', because: code === 'ENOENT' ? 'is not there' : `cannot be read (${String(code)})` };
  }
}

async function folderAt(path: string): Promise<MountedSecret> {
  const files = new Map<string, string>();
  for (const name of await readdir(path)) {
    // Kubernetes keeps the real files behind links in folders that begin with two dots.
    if (name.startsWith('..')) continue;
    const text = await readFile(join(path, name), 'utf8').catch(() => undefined);
    if (text !== undefined) files.set(name, text);
  }
  return { kind: 'folder', files };
}
