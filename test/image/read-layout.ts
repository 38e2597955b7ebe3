import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '../../images/executor/assembly/contents.ts';

/** What an image says about itself. */
export interface ImageConfig {
  readonly architecture: Architecture;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly WorkingDir: string;
    readonly Labels: Readonly<Record<string, string>>;
  };
}

export interface Image extends ImageConfig {
  /** The archives, in the order in which they lie upon each other. */
  readonly layers: readonly string[];
}

/** Reads the image for an architecture out of an OCI layout, whether it holds one image or an index of several. */
export function readLayout(layout: string, architecture: Architecture): Image {
  const blob = (digest: string): string => join(layout, 'blobs', ...digest.split(':'));
  const read = <T>(digest: string): T => JSON.parse(readFileSync(blob(digest), 'utf8'));
  const seen: string[] = [];
  const look = (manifests: readonly Descriptor[]): Image | undefined => {
    for (const { digest, platform } of manifests) {
      // An index may list what a layout does not hold.
      if (!existsSync(blob(digest)) || (platform && platform.architecture !== architecture)) continue;
      const found = read<Index & Manifest>(digest);
      if (found.manifests) return look(found.manifests);
      const config = read<ImageConfig>(found.config.digest);
      seen.push(config.architecture);
      if (config.architecture === architecture)
        return { ...config, layers: found.layers.map((layer) => blob(layer.digest)) };
    }
    return undefined;
  };
  const index: Required<Index> = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'));
  const image = look(index.manifests);
  if (image === undefined) throw new Error(`${layout} has no image for ${architecture}, but for: ${seen.join(', ')}`);
  return image;
}

interface Descriptor {
  readonly digest: string;
  readonly platform?: { readonly architecture: string };
}

interface Index {
  readonly manifests?: readonly Descriptor[];
}

interface Manifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string }[];
}
