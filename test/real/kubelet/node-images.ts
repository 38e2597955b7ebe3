import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { pauseImage } from './node-settings.ts';

// Never while nothing else can go on: a test's runner wants to hear from it.
const run = promisify(execFile);

/** How the Workflows controller of the testbed calls Argo's own image. */
const argoexecImage = 'docker.io/library/argoexec:latest';

export interface GivenImages {
  /** The OCI layout that images/executor/assemble.mjs has written. */
  readonly layout: string;
  /** Argo's own program. */
  readonly argoexec: string;
}

/** Gives containerd all images that it will be asked for; nothing is ever pulled. Answers the executor's name. */
export async function importImages(
  folder: string,
  { layout, argoexec }: GivenImages,
  [ctr = 'ctr', ...words]: readonly string[],
): Promise<string> {
  const blobs = join(folder, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  for (const blob of readdirSync(join(layout, 'blobs/sha256')))
    symlinkSync(resolve(layout, 'blobs/sha256', blob), join(blobs, blob));
  const [given] = readJson<Index>(join(layout, 'index.json')).manifests;
  if (given === undefined) throw new Error(`${layout} holds no image`);
  const executor = `docker.io/tiphys/executor:${given.annotations?.['org.opencontainers.image.ref.name']}`;
  const manifests = [
    named(given, executor),
    named(writePause(blobs, given.digest), pauseImage),
    named(await writeArgoexec(blobs, argoexec), argoexecImage),
  ];
  writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  const archive = `${folder}.tar`;
  await run('tar', ['--dereference', '-cf', archive, '-C', folder, '.']);
  await run(ctr, [...words, 'images', 'import', archive]);
  return executor;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Index {
  readonly manifests: readonly Descriptor[];
}

interface Manifest {
  readonly schemaVersion: number;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

const types = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
} as const;

function named({ mediaType, digest, size }: Descriptor, name: string): Descriptor {
  return { mediaType, digest, size, annotations: { 'io.containerd.image.name': name } };
}

/** The files of the executor's image, asleep: a program for this alone would have to be built. */
function writePause(blobs: string, executor: string): Descriptor {
  const manifest = readJson<Manifest>(join(blobs, hexOf(executor)));
  const { config, ...rest } = readJson<{ config: object }>(join(blobs, hexOf(manifest.config.digest)));
  const asleep = { ...config, Entrypoint: ['/usr/bin/tini', '--', 'sleep', 'infinity'] };
  return writeManifest(blobs, { ...rest, config: asleep }, manifest.layers);
}

async function writeArgoexec(blobs: string, program: string): Promise<Descriptor> {
  const draft = join(blobs, 'draft');
  const inBin = ['--transform=s,.*,bin/argoexec,', '--owner=0', '--group=0', '--mode=0755'];
  await run('tar', [...inBin, '-cf', draft, '-C', dirname(program), basename(program)]);
  const bytes = readFileSync(draft);
  const digest = sha256(bytes);
  renameSync(draft, join(blobs, hexOf(digest)));
  const config = {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Env: ['PATH=/bin'], Entrypoint: ['argoexec'] },
    rootfs: { type: 'layers', diff_ids: [digest] },
  };
  return writeManifest(blobs, config, [{ mediaType: types.layer, digest, size: bytes.length }]);
}

function writeManifest(blobs: string, config: object, layers: readonly Descriptor[]): Descriptor {
  const written = writeBlob(blobs, types.config, config);
  return writeBlob(blobs, types.manifest, { schemaVersion: 2, mediaType: types.manifest, config: written, layers });
}

function writeBlob(blobs: string, mediaType: string, value: object): Descriptor {
  const bytes = Buffer.from(JSON.stringify(value));
  const digest = sha256(bytes);
  writeFileSync(join(blobs, hexOf(digest)), bytes);
  return { mediaType, digest, size: bytes.length };
}

function sha256(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function hexOf(digest: string): string {
  return digest.replace('sha256:', '');
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
