import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { ReflectorOptions } from '../../src/adapters/kubernetes/follow.ts';
import { createReflector } from '../../src/adapters/kubernetes/reflector.ts';
import type { PodAnswers } from './egress.ts';
import { type Pod, podAnswer, readySinceMs } from './pod-answers.ts';

/** Answers for every pod of the cluster by its address. */
export function followPods(
  {
    client,
    clock,
    onTrouble,
  }: { client: KubeClient; clock: ReflectorOptions['clock']; onTrouble: (sentence: string) => void },
  signal: AbortSignal,
): PodAnswers {
  const pods = createReflector<Pod>(client, { path: '/api/v1/pods', clock, onTrouble }, signal);
  const seenReady = new Map<string, number>();
  pods.subscribe(() => {
    const ready = new Set<string>();
    for (const pod of pods.all()) {
      if (readySinceMs(pod) === undefined) continue;
      ready.add(pod.metadata.uid ?? '');
      if (!seenReady.has(pod.metadata.uid ?? '')) seenReady.set(pod.metadata.uid ?? '', clock.now());
    }
    for (const uid of seenReady.keys()) if (!ready.has(uid)) seenReady.delete(uid);
  });
  return (address, _port, path) => {
    const pod = pods.all().find(({ status }) => status?.podIP === address && !isOver(status.phase));
    const since = pod === undefined ? undefined : readySinceMs(pod);
    if (pod === undefined || since === undefined) return undefined;
    // Kubernetes writes whole seconds; what we have seen ourselves is closer.
    const seen = seenReady.get(pod.metadata.uid ?? '') ?? since;
    const countedFrom = seen - since < 1500 ? Math.max(seen, since) : since;
    if (path === readySincePath) return { status: 200, body: String(countedFrom) };
    return podAnswer(pod, path, clock.now() - countedFrom);
  };
}

/** Here a pod of ours tells from when on its words are counted, in milliseconds since the epoch. */
export const readySincePath = '/testbed/ready-since';

function isOver(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
