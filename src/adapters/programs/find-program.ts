import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The first file of this name in PATH that may be run: the one that the name alone would start. */
export async function findProgram(name: string, path: string | undefined): Promise<string | undefined> {
  for (const folder of (path ?? '').split(delimiter).filter((one) => one !== '')) {
    const file = join(folder, name);
    if (await isRunnable(file)) return file;
  }
  return undefined;
}

async function isRunnable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
