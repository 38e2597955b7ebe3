import { ApiError } from '../../src/adapters/kubernetes/errors.ts';
import { type Pod, podPath } from './pod.ts';
import { type Life, podStatus } from './pod-status.ts';
import type { KubeletWorld } from './world.ts';

/** Writes into a pod's status how it goes, when it does not stand there yet. */
export async function writeLife({ client, clock }: KubeletWorld, pod: Pod, life: Life): Promise<void> {
  const status = podStatus(pod, life, new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'));
  if (status === undefined) return;
  const { uid } = pod.metadata;
  // With the uid in it, it never meets a namesake.
  const body = { metadata: { uid }, status };
  await unlessGone(client.mergePatch(`${podPath(pod)}/status`, body, undefined, { repeatable: true }));
}

/** Takes away those pods that are to go, whose processes have ended, as a kubelet does last of all. */
export async function removeLeaving({ client }: KubeletWorld, pods: readonly Pod[]): Promise<void> {
  for (const pod of pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)) {
    const { uid } = pod.metadata;
    await unlessGone(client.delete(podPath(pod), { gracePeriodSeconds: 0, preconditions: { uid } }));
  }
}

/** Gone, or another one of the same name by now: the watch will tell. */
async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error;
  }
}
