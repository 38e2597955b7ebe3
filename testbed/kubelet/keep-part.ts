import { choosePod, isSameTemplate } from './choose-pod.ts';
import { createPartLife } from './part-life.ts';
import type { StayingPart } from './parts.ts';
import { isOnNode, type Pod } from './pod.ts';
import type { Life } from './pod-status.ts';
import type { KubeletWorld } from './world.ts';
import { removeLeaving, writeLife } from './write-life.ts';

/** Keeps one part's process in step with its pods. */
export interface Keeper {
  step(pods: readonly Pod[]): Promise<void>;
  /** What will not take long; undefined when there is nothing of the kind. */
  busyWith(): string | undefined;
}

/** A part that is not ready after this is not waited for by anybody else. */
const patienceMs = 30_000;

export function createKeeper(world: KubeletWorld, part: StayingPart): Keeper {
  const process = createPartLife(world, part);
  let busy: string | undefined = `${part.name} was not looked at yet`;

  function isStarting(life: Life): boolean {
    const isNew = world.clock.now() - process.startedAt() < patienceMs;
    return life.state === 'running' && !life.isReady && isNew;
  }

  return {
    busyWith: () => busy,
    async step(pods) {
      const current = world.remembered(part.name)?.pod;
      const chosen = choosePod(pods, current);
      if (current !== undefined && current !== chosen?.metadata.uid) await process.end();
      // Only now: a pod is gone when what it ran has ended.
      await removeLeaving(world, pods);
      busy = undefined;
      if (chosen === undefined) return;
      const life = await process.live(chosen);
      busy = isStarting(life) ? `${part.name} is not ready` : undefined;
      for (const pod of pods.filter(isOnNode)) {
        await writeLife(world, pod, isSameTemplate(pod, chosen) ? life : replaced);
      }
    },
  };
}

/** Its process has made room for that of a newer template. */
const replaced: Life = { state: 'running', isReady: false, restarts: 0 };
