import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that only its owner can look into, for keys and what else nobody should find later. */
export interface PrivateFolder {
  readonly path: string;
  /** Writes a file for its owner's eyes and returns its path. */
  write(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

/** Opens one below TMPDIR; whoever opens it removes it, whatever happens. */
export async function openPrivateFolder(): Promise<PrivateFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tiphys-'));
  return {
    path,
    async write(name, text) {
      const file = join(path, name);
      await writeFile(file, text, { mode: 0o600, flag: 'wx' });
      return file;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
