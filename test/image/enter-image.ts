import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import type { Architecture } from '../../images/executor/assembly/contents.ts';
import { listenTo } from '../running.ts';
import { emulate, emulation } from './emulator.ts';
import { type ImageConfig, readLayout } from './read-layout.ts';

/** Unpacks an image of an OCI layout as a container engine would: layer upon layer. */
export function unpackImage(layout: string, root: string, architecture: Architecture): ImageConfig {
  const { layers, ...image } = readLayout(layout, architecture);
  mkdirSync(root, { recursive: true });
  for (const layer of layers) {
    const { status, stderr } = spawnSync('tar', ['-xpzf', layer, '-C', root, '--no-same-owner']);
    if (status !== 0) throw new Error(`layer ${layer} cannot be unpacked: ${stderr}`);
  }
  return image;
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
 * capability, nothing of this machine but /dev, /proc and the network. Needs user namespaces and no root. Programs of another machine
 * are emulated, inside of the namespaces alone.
 */
export async function enterImage(
  { root, image, config, secrets, env = {} }: Entering,
  command: readonly string[],
): Promise<Ended> {
  const [user, group] = image.config.User.split(':');
  const variables = [...image.config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const inside = ['/usr/bin/env', '-i', ...variables, ...command];
  // The command becomes process 1, as in a container; whatever is left of it ends with it.
  const apart = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child'];
  const emulated = emulation(image.architecture) ?? '';
  const words = [...apart, 'sh', '-c', mounts, 'enter', root, config, secrets, emulated];
  const as = [`--map-user=${user}`, `--map-group=${group}`, `--root=${root}`, `--wd=${image.config.WorkingDir}`];
  const child = spawn('unshare', [...words, '--user', ...as, ...inside], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: emulated === '' ? 60_000 : 600_000,
  });
  const { said, ended } = listenTo(child);
  const { exitCode } = await ended;
  return { code: exitCode, ...said };
}

// The first namespace may mount; the second one, which the command runs in, is somebody who may not.
const mounts = `set -eu
root=$1 config=$2 secrets=$3 emulated=$4
shift 4
mount --bind "$root" "$root"
if [ -n "$emulated" ]; then sh -c '${emulate}' emulate "$root/proc" "$emulated"; fi
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --bind "$config" "$root/config"
mount -o remount,bind,ro "$root/config"
mount --bind "$secrets" "$root/secrets"
mount -o remount,bind,ro "$root/secrets"
mount -o remount,bind,ro "$root"
exec unshare "$@"`;
