import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

// Never while nothing else can go on: a test's runner wants to hear from it.
const run = promisify(execFile);

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An image with one layer: the words are those of tar, and say what is in it. */
export async function writeImage(blobs: string, config: object, words: readonly string[]): Promise<Descriptor> {
  const draft = join(blobs, 'draft');
  await run('tar', ['--owner=0', '--group=0', '-cf', draft, ...words]);
  const bytes = readFileSync(draft);
  const digest = sha256(bytes);
  renameSync(draft, blobOf(blobs, digest));
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const whole = { architecture, os: 'linux', config, rootfs: { type: 'layers', diff_ids: [digest] } };
  return writeManifest(blobs, whole, [{ mediaType: types.layer, digest, size: bytes.length }]);
}

export function writeManifest(blobs: string, config: object, layers: readonly Descriptor[]): Descriptor {
  const written = writeBlob(blobs, types.config, config);
  return writeBlob(blobs, types.manifest, { schemaVersion: 2, mediaType: types.manifest, config: written, layers });
}

/** Where this one is, or has to be. */
export function blobOf(blobs: string, digest: string): string {
  return join(blobs, digest.replace('sha256:', ''));
}

const types = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
} as const;

function writeBlob(blobs: string, mediaType: string, value: object): Descriptor {
  const bytes = Buffer.from(JSON.stringify(value));
  const digest = sha256(bytes);
  writeFileSync(blobOf(blobs, digest), bytes);
  return { mediaType, digest, size: bytes.length };
}

function sha256(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
