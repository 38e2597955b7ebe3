import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { blobOf, type Descriptor, writeImage, writeManifest } from './image-blobs.ts';
import type { WriteImages } from './node-images.ts';
import { pauseImage } from './node-settings.ts';

/** How the Workflows controller of the testbed calls Argo's own image. */
const argoexecImage = 'docker.io/library/argoexec:latest';

export interface GivenImages {
  /** The OCI layout that images/executor/assemble.mjs has written. */
  readonly layout: string;
  /** Argo's own program. */
  readonly argoexec: string;
}

/** What the steps of a Workflow run in. */
export function executorImages({ layout, argoexec }: GivenImages): WriteImages {
  return async (blobs) => {
    for (const blob of readdirSync(join(layout, 'blobs/sha256')))
      symlinkSync(resolve(layout, 'blobs/sha256', blob), join(blobs, blob));
    const given = onlyImage(layout);
    return {
      [executorImage(layout)]: given,
      [pauseImage]: writePause(blobs, given.digest),
      [argoexecImage]: await writeArgoexec(blobs, argoexec),
    };
  };
}

/** The name under which containerd knows the executor's image. */
export function executorImage(layout: string): string {
  return `docker.io/tiphys/executor:${onlyImage(layout).annotations?.['org.opencontainers.image.ref.name']}`;
}

function onlyImage(layout: string): Descriptor {
  const [given] = readJson<{ readonly manifests: readonly Descriptor[] }>(join(layout, 'index.json')).manifests;
  if (given === undefined) throw new Error(`${layout} holds no image`);
  return given;
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** The files of the executor's image, asleep: a program for this alone would have to be built. */
function writePause(blobs: string, executor: string): Descriptor {
  const manifest = readJson<Manifest>(blobOf(blobs, executor));
  const { config, ...rest } = readJson<{ config: object }>(blobOf(blobs, manifest.config.digest));
  const asleep = { ...config, Entrypoint: ['/usr/bin/tini', '--', 'sleep', 'infinity'] };
  return writeManifest(blobs, { ...rest, config: asleep }, manifest.layers);
}

function writeArgoexec(blobs: string, program: string): Promise<Descriptor> {
  const inBin = ['--transform=s,.*,bin/argoexec,', '--mode=0755', '-C', dirname(program), basename(program)];
  return writeImage(blobs, { Env: ['PATH=/bin'], Entrypoint: ['argoexec'] }, inBin);
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
