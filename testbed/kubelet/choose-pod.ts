import { isOnNode, type Pod } from './pod.ts';

/**
 * Which pod of a part has its process. Ports are the testbed's own, so there is one: of the newest template, and of its
 * pods the one that has it already.
 */
export function choosePod(pods: readonly Pod[], current: string | undefined): Pod | undefined {
  const alive = pods.filter(isOnNode).sort(byAge);
  const newest = alive.at(-1);
  if (newest === undefined) return undefined;
  const equal = alive.filter((pod) => isSameTemplate(pod, newest));
  return equal.find(({ metadata }) => metadata.uid === current) ?? equal[0];
}

/** Are these of one template, so that one process can stand for both? */
export function isSameTemplate(one: Pod, other: Pod): boolean {
  return one.metadata.namespace === other.metadata.namespace && templateOf(one) === templateOf(other);
}

/** As the controllers of Deployments and StatefulSets write it. */
function templateOf({ metadata: { labels = {}, uid } }: Pod): string {
  return labels['pod-template-hash'] ?? labels['controller-revision-hash'] ?? uid;
}

function byAge(one: Pod, other: Pod): number {
  const [a, b] = [one, other].map(({ metadata }) => `${metadata.creationTimestamp} ${metadata.name}`);
  return (a ?? '') < (b ?? '') ? -1 : 1;
}
