import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Fills a folder out of sight and puts it in place in one step: nobody ever sees half of it, and whoever comes second keeps the first one's. */
export async function placeFolder(place: string, fill: (folder: string) => Promise<void>): Promise<string> {
  if (await isFolder(place)) return place;
  await mkdir(dirname(place), { recursive: true });
  const draft = await mkdtemp(`${place}.`);
  try {
    await fill(draft);
    await rename(draft, place).catch(async (error: unknown) => {
      if (!(await isFolder(place))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return place;
}

/** Whether there is a folder of that name. */
export function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
