import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** A layer as it lies in the image layout. */
export interface PackedLayer {
  readonly digest: string;
  readonly size: number;
  /** Of the archive before it is compressed. */
  readonly diffId: string;
}

/** Packs a folder as a layer: the same files give the same bytes, whenever, wherever and in whichever order they were written. */
export async function packLayer(
  folder: string,
  blobs: string,
  { epoch }: { readonly epoch: number },
): Promise<PackedLayer> {
  const same = ['--sort=name', `--mtime=@${epoch}`, '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  // Whether two names are one file is no property of the content.
  const tar = spawn('tar', [...same, '--hard-dereference', '-C', folder, '-cf', '-', '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(tar, 'close');
  const [plain, packed] = [hashing(), hashing()];
  const draft = join(blobs, `draft-${process.pid}-${tar.pid}`);
  await pipeline(tar.stdout, plain.stream, createGzip({ level: 6 }), packed.stream, createWriteStream(draft));
  const [code] = await ended;
  if (code !== 0) throw new Error(`tar ended with ${code} while it packed ${folder}`);
  const digest = packed.hex();
  await rename(draft, join(blobs, digest));
  const { size } = await stat(join(blobs, digest));
  return { digest: `sha256:${digest}`, size, diffId: `sha256:${plain.hex()}` };
}

function hashing(): { stream: Transform; hex: () => string } {
  const hash = createHash('sha256');
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(undefined, chunk);
    },
  });
  return { stream, hex: () => hash.digest('hex') };
}
