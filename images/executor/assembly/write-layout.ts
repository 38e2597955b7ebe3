import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Architecture, Contents } from './contents.ts';
import { type PackedLayer, packLayer } from './pack-layer.ts';

/** The root file system of one architecture, as folders that lie upon each other. */
export interface Root {
  readonly architecture: Architecture;
  /** In the order of the layers. */
  readonly folders: readonly string[];
}

export interface ImageFacts {
  readonly contents: Contents;
  readonly version: string;
  /** The commit it was made from. */
  readonly revision?: string;
  /** Seconds since 1970, written wherever a time has to be. */
  readonly epoch: number;
}

/** Writes an OCI image layout, the format that `skopeo`, `crane`, `podman` and `ctr` read; gives the digest of the image. */
export async function writeLayout(folder: string, roots: readonly Root[], facts: ImageFacts): Promise<string> {
  const blobs = join(folder, 'blobs/sha256');
  // What an earlier image left would be carried along.
  await rm(folder, { recursive: true, force: true });
  await mkdir(blobs, { recursive: true });
  const manifests: Descriptor[] = [];
  for (const root of roots) manifests.push(await writeManifest(blobs, root, facts));
  const [only, another] = manifests;
  const image =
    only !== undefined && another === undefined
      ? only
      : await writeBlob(blobs, mediaTypes.index, { schemaVersion: 2, mediaType: mediaTypes.index, manifests });
  const named = { ...image, annotations: { 'org.opencontainers.image.ref.name': facts.version } };
  await writeFile(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [named] };
  await writeFile(join(folder, 'index.json'), JSON.stringify(index));
  return image.digest;
}

const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: string };
}

async function writeManifest(blobs: string, { architecture, folders }: Root, facts: ImageFacts): Promise<Descriptor> {
  const layers = await Promise.all(folders.map((folder) => packLayer(folder, blobs, facts)));
  const config = await writeBlob(blobs, mediaTypes.config, imageConfig(architecture, layers, facts));
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config,
    layers: layers.map(({ digest, size }) => ({ mediaType: mediaTypes.layer, digest, size })),
  };
  const written = await writeBlob(blobs, mediaTypes.manifest, manifest);
  return { ...written, platform: { architecture, os: 'linux' } };
}

function imageConfig(architecture: Architecture, layers: readonly PackedLayer[], facts: ImageFacts): object {
  const { contents, version, revision, epoch } = facts;
  const { user, workingDirectory, entrypoint, environment, labels } = contents.config;
  const created = new Date(epoch * 1000).toISOString();
  return {
    created,
    architecture,
    os: 'linux',
    config: {
      User: user,
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      Entrypoint: entrypoint,
      WorkingDir: workingDirectory,
      Labels: {
        ...labels,
        'org.opencontainers.image.version': version,
        ...(revision === undefined ? {} : { 'org.opencontainers.image.revision': revision }),
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created, created_by: 'images/executor/assemble.mjs' })),
  };
}

async function writeBlob(blobs: string, mediaType: string, value: object): Promise<Descriptor> {
  const bytes = Buffer.from(JSON.stringify(value));
  const digest = createHash('sha256').update(bytes).digest('hex');
  await writeFile(join(blobs, digest), bytes);
  return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
}
