import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Descriptor } from './image-blobs.ts';

const run = promisify(execFile);

/** Writes all that a node will be asked for into this folder of blobs, that of its sandboxes included; by name. */
export type WriteImages = (blobs: string) => Promise<Readonly<Record<string, Descriptor>>>;

/** Gives containerd all images that it will be asked for: from outside of its namespaces nothing can be pulled. */
export async function importImages(
  folder: string,
  write: WriteImages,
  [ctr = 'ctr', ...words]: readonly string[],
): Promise<void> {
  const blobs = join(folder, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const manifests = Object.entries(await write(blobs)).map(([name, { mediaType, digest, size }]) => ({
    mediaType,
    digest,
    size,
    annotations: { 'io.containerd.image.name': name },
  }));
  writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  const archive = `${folder}.tar`;
  await run('tar', ['--dereference', '-cf', archive, '-C', folder, '.']);
  await run(ctr, [...words, 'images', 'import', archive]);
}
