import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { markOf } from '../cluster/marked-processes.ts';
import { giveAccess } from './give-access.ts';
import type { Keeper } from './keep-part.ts';
import { lastWords } from './last-words.ts';
import { lookUpIn } from './look-up.ts';
import type { PartWithEnd } from './parts.ts';
import { isOnNode, type Pod } from './pod.ts';
import type { Life } from './pod-status.ts';
import { mainContainer } from './prepare-part.ts';
import { MissingSettingError, resolveEnv } from './resolve-env.ts';
import { wordsOf } from './words-of.ts';
import type { KubeletWorld } from './world.ts';
import { removeLeaving, writeLife } from './write-life.ts';

/** Runs the pods of a Job to their end: the program itself, with the rights of its ServiceAccount. */
export function createRunner(world: KubeletWorld, part: PartWithEnd): Keeper {
  // By the pod's uid. What has ended rests for ever: the watch may show it as it was before.
  const attempts = new Map<string, { readonly failures: number; readonly restUntil: number }>();
  const log = join(world.testbed.folder, 'log', `${part.name}.log`);
  let busy: string | undefined = `${part.name} was not looked at yet`;

  async function run(pod: Pod): Promise<void> {
    const { failures = 0, restUntil = 0 } = attempts.get(pod.metadata.uid) ?? {};
    if (world.clock.now() < restUntil) return;
    const life = await attempt(world, part, { pod, failures, log });
    await writeLife(world, pod, life);
    const restMs = life.state === 'ended' ? Number.POSITIVE_INFINITY : Math.min(1_000 * 2 ** failures, 10_000);
    attempts.set(pod.metadata.uid, { failures: failures + 1, restUntil: world.clock.now() + restMs });
  }

  return {
    busyWith: () => busy,
    async step(pods) {
      await removeLeaving(world, pods);
      const due = pods.filter(isOnNode);
      busy = due.length > 0 ? `${part.name} is at work` : undefined;
      try {
        for (const pod of due) await run(pod);
      } finally {
        busy = undefined;
      }
      for (const uid of attempts.keys()) if (!pods.some(({ metadata }) => metadata.uid === uid)) attempts.delete(uid);
    },
  };
}

interface Attempt {
  readonly pod: Pod;
  readonly failures: number;
  readonly log: string;
}

async function attempt(world: KubeletWorld, part: PartWithEnd, { pod, failures, log }: Attempt): Promise<Life> {
  try {
    const exitCode = await runToItsEnd(world, part, { pod, log });
    if (exitCode === 0 || pod.spec.restartPolicy === 'Never') return { state: 'ended', exitCode, restarts: failures };
    return { state: 'waiting', reason: 'CrashLoopBackOff', message: lastWords(log), restarts: failures + 1 };
  } catch (error) {
    if (!(error instanceof MissingSettingError)) throw error;
    return { state: 'waiting', reason: 'CreateContainerConfigError', message: error.message, restarts: failures };
  }
}

const deadlineMs = 120_000;

async function runToItsEnd(
  world: KubeletWorld,
  part: PartWithEnd,
  { pod, log }: { readonly pod: Pod; readonly log: string },
): Promise<number> {
  const container = mainContainer(pod);
  const asked = await resolveEnv(pod, container, lookUpIn(world.client));
  const { kubeconfig } = await giveAccess(world, part.name, pod);
  const words = [...wordsOf(container, asked), `--kubeconfig=${kubeconfig}`];
  const file = openSync(log, 'a', 0o600);
  try {
    const child = spawn(part.program, words, {
      cwd: world.testbed.folder,
      env: { ...asked, ...world.env, ...markOf(world.testbed.folder, `kubelet/${part.name}`) },
      // A group of its own, so that `down` ends all of it.
      detached: true,
      stdio: ['ignore', file, file],
      timeout: deadlineMs,
    });
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      // Ended by a signal counts as any other failure.
      child.once('close', (code) => resolve(code ?? 137));
    });
  } finally {
    closeSync(file);
  }
}
