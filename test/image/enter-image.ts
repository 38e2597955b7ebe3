import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What an image says about itself. */
export interface ImageConfig {
  readonly architecture: string;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly WorkingDir: string;
    readonly Labels: Readonly<Record<string, string>>;
  };
}

/** Unpacks the first image of an OCI layout as a container engine would: layer upon layer. */
export function unpackImage(layout: string, root: string): ImageConfig {
  const blob = (digest: string): string => join(layout, 'blobs', ...digest.split(':'));
  const read = <T>(digest: string): T => JSON.parse(readFileSync(blob(digest), 'utf8'));
  const index: { manifests: { digest: string }[] } = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'));
  const manifest = read<Manifest>(index.manifests[0]!.digest);
  mkdirSync(root, { recursive: true });
  for (const { digest } of manifest.layers) {
    const { status, stderr } = spawnSync('tar', ['-xpzf', blob(digest), '-C', root, '--no-same-owner']);
    if (status !== 0) throw new Error(`layer ${digest} cannot be unpacked: ${stderr}`);
  }
  return read<ImageConfig>(manifest.config.digest);
}

interface Manifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string }[];
}

export interface Entering {
  readonly root: string;
  readonly image: ImageConfig;
  /** Mounted at /config and /secrets. */
  readonly config: string;
  readonly secrets: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Why a container cannot be played here, if so. */
export function whyNoNamespaces(): string | undefined {
  if (!existsSync('/proc/self/ns/user')) return 'this system has no user namespaces';
  const { status, stderr } = spawnSync('unshare', ['--user', '--map-root-user', '--mount', '--pid', '--fork', 'true'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `user namespaces cannot be made here: ${stderr}`;
}

/**
 * Runs a command as a container engine would with `--read-only --tmpfs /tmp`: the image as root, as its own user without a single
 * capability, nothing of this machine but /dev, /proc and the network. Needs user namespaces and no root.
 */
export function enterImage({ root, image, config, secrets, env = {} }: Entering, command: readonly string[]): Ended {
  const [user, group] = image.config.User.split(':');
  const variables = [...image.config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const inside = ['/usr/bin/env', '-i', ...variables, ...command];
  // The command becomes process 1, as in a container; whatever is left of it ends with it.
  const apart = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child'];
  const words = [...apart, 'sh', '-c', mounts, 'enter', root, config, secrets];
  const as = [`--map-user=${user}`, `--map-group=${group}`, `--root=${root}`, `--wd=${image.config.WorkingDir}`];
  const { status, stdout, stderr } = spawnSync('unshare', [...words, '--user', ...as, ...inside], {
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: status, out: stdout, err: stderr };
}

// The first namespace may mount; the second one, which the command runs in, is somebody who may not.
const mounts = `set -eu
root=$1 config=$2 secrets=$3
shift 3
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --bind "$config" "$root/config"
mount -o remount,bind,ro "$root/config"
mount --bind "$secrets" "$root/secrets"
mount -o remount,bind,ro "$root/secrets"
mount -o remount,bind,ro "$root"
exec unshare "$@"`;
