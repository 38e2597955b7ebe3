import { join } from 'node:path';
import { probe } from '../cluster/probe.ts';
import { endProcess, isRunning, startProcess } from '../cluster/processes.ts';
import { annotations } from '../world/annotations.ts';
import { giveAccess } from './give-access.ts';
import { lastWords } from './last-words.ts';
import type { StayingPart } from './parts.ts';
import type { Pod } from './pod.ts';
import type { Life } from './pod-status.ts';
import { preparePart, probeOf } from './prepare-part.ts';
import { MissingSettingError } from './resolve-env.ts';
import type { KubeletWorld } from './world.ts';

/** The process of one part, for one pod at a time. */
export interface PartLife {
  /** Starts it when it is not running and may, and says how it goes. */
  live(pod: Pod): Promise<Life>;
  end(): Promise<void>;
  /** When it was started last, or first seen. */
  startedAt(): number;
}

export function createPartLife(world: KubeletWorld, part: StayingPart): PartLife {
  const { clock, testbed } = world;
  const log = join(testbed.folder, 'log', `${part.name}.log`);
  // Unknown of one that an earlier life of ours has started: then a new token does no harm.
  let renewAt = 0;
  let startedAt = clock.now();
  let restAt = 0;

  async function start(pod: Pod, restarts: number): Promise<Life> {
    const { access, ...prepared } = await preparePart(world, part, pod);
    const process = await startProcess({ ...prepared, cwd: testbed.folder, log });
    world.remember(part.name, { pod: pod.metadata.uid, restarts, process });
    renewAt = access?.renewAt ?? Number.POSITIVE_INFINITY;
    startedAt = clock.now();
    return { state: 'running', isReady: false, restarts };
  }

  /** It has ended by itself: it rests, longer each time, before it is started again. */
  function noticeEnd(restarts: number, pod: Pod): number {
    restAt = clock.now() + Math.min(1_000 * 2 ** restarts, 10_000);
    world.remember(part.name, { pod: pod.metadata.uid, restarts: restarts + 1 });
    return restarts + 1;
  }

  return {
    startedAt: () => startedAt,
    async live(pod) {
      const { restarts: before = 0, process } = world.remembered(part.name) ?? {};
      if (process !== undefined && isRunning(process)) {
        if (part.needsAccess && clock.now() >= renewAt) ({ renewAt } = await giveAccess(world, part.name, pod));
        return { state: 'running', isReady: await answers(world, part, pod), restarts: before };
      }
      const restarts = process === undefined ? before : noticeEnd(before, pod);
      if (clock.now() < restAt) return waiting('CrashLoopBackOff', lastWords(log), restarts);
      return start(pod, restarts).catch((error: unknown) => {
        if (!(error instanceof MissingSettingError)) throw error;
        return waiting('CreateContainerConfigError', error.message, restarts);
      });
    },
    async end() {
      const { process } = world.remembered(part.name) ?? {};
      if (process !== undefined) await endProcess(process, graceMs);
      world.remember(part.name, undefined);
      restAt = 0;
    },
  };
}

const graceMs = 4_000;

function waiting(reason: string, message: string, restarts: number): Life {
  return { state: 'waiting', reason, message, restarts };
}

async function answers(world: KubeletWorld, part: StayingPart, pod: Pod): Promise<boolean> {
  if (pod.metadata.annotations?.[annotations.readyAfter] === 'never') return false;
  const authority = join(world.testbed.folder, 'pki/ca.crt');
  return (await probe(probeOf(world, part, pod), authority)) === 'ready';
}
