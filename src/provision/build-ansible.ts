import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { systemClock } from '../adapters/clock/system-clock.ts';
import { systemId } from '../adapters/clock/system-random.ts';
import { OperatorError } from '../engine/operator-error.ts';
import { fillEnvironment } from './fill-environment.ts';
import { inspectAnsible } from './inspect-ansible.ts';
import type { Variables } from './program-environment.ts';

export interface BuildOrder {
  /** bootstrap/requirements.txt, with hashes. */
  readonly requirements: string;
  /** The user's cache folder. */
  readonly cache: string | undefined;
  readonly env: Variables;
  readonly scratch: string;
  readonly tell: (sentence: string) => void;
}

/**
 * A virtual environment with exactly the pinned packages, made once and found again by the hash of what it was made from.
 * Each builds in a folder of its own, because environments cannot be moved, and a link makes it everybody's when it is whole: two
 * at once, or one that is killed, leave nothing half done in the way.
 */
export async function buildAnsible(order: BuildOrder, signal: AbortSignal): Promise<string> {
  const folder = await cacheFolder(order);
  const hash = createHash('sha256')
    .update(await readFile(order.requirements))
    .digest('hex')
    .slice(0, 16);
  const link = join(folder, `ansible-${hash}`);
  const playbook = join(link, 'bin', 'ansible-playbook');
  if (await isWhole(playbook, order, signal)) return playbook;
  await sweep(folder, basename(link));
  const build = `${link}.${systemId()}`;
  try {
    order.tell(`Making a Python environment with Ansible in ${link}; this happens once.`);
    await fillEnvironment({ ...order, folder: build }, signal);
    const made = await inspectAnsible({ ...order, playbook: join(build, 'bin', 'ansible-playbook') }, signal);
    if (!made.will) throw notAsPinned(order, made.because);
    await publish(build, link);
  } catch (error) {
    await rm(build, { recursive: true, force: true });
    throw error;
  }
  return playbook;
}

async function cacheFolder({ cache }: BuildOrder): Promise<string> {
  const hint =
    'Set XDG_CACHE_HOME to a folder that can be written, or TIPHYS_ANSIBLE to a Python environment with Ansible.';
  if (cache === undefined)
    throw new OperatorError('there is no folder to keep a Python environment with Ansible in', { hint, exitCode: 3 });
  const folder = join(cache, 'tiphys');
  try {
    await mkdir(folder, { recursive: true });
    return folder;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new OperatorError(`${folder} cannot be written (${code})`, { hint, exitCode: 3 });
  }
}

function notAsPinned({ requirements }: BuildOrder, because: string): OperatorError {
  return new OperatorError(`what ${requirements} pins is no Ansible that will do: ${because}`, {
    hint: 'Take the file of this release again, or set TIPHYS_ANSIBLE to a Python environment with Ansible.',
    exitCode: 3,
  });
}

/** A cache may have been half cleaned, or its Python taken away: it is tried before it is trusted. */
async function isWhole(playbook: string, order: BuildOrder, signal: AbortSignal): Promise<boolean> {
  return (await inspectAnsible({ ...order, playbook }, signal)).will;
}

/** The link is made beside and put in place in one step. What it named before may be in use, and stays for a day. */
async function publish(build: string, link: string): Promise<void> {
  const beside = `${build}.link`;
  await symlink(basename(build), beside);
  await rename(beside, link);
}

const dayMs = 24 * 60 * 60_000;

/** What builders that were killed left behind. Younger ones may still be at work, and the one that the link names is in use. */
async function sweep(folder: string, name: string): Promise<void> {
  const inUse = await readlink(join(folder, name)).catch(() => '');
  for (const entry of await readdir(folder)) {
    if (!entry.startsWith(`${name}.`) || entry === inUse) continue;
    // Another builder's link may be in its place by now.
    const found = await lstat(join(folder, entry)).catch(() => undefined);
    if (found !== undefined && systemClock.now() - found.mtimeMs > dayMs)
      await rm(join(folder, entry), { recursive: true, force: true });
  }
}
