import { choosePod } from './choose-pod.ts';
import { labelOf } from './parts.ts';
import type { Pod } from './pod.ts';
import { mainContainer } from './prepare-part.ts';
import { wordsOf } from './words-of.ts';

/** The ConfigMap from which the Workflows controller of these pods takes its settings. */
export function settingsName(pods: readonly Pod[]): string {
  const controllers = pods.filter((pod) => labelOf(pod) === 'argo-workflows/workflow-controller');
  const chosen = choosePod(controllers, undefined);
  const words = chosen === undefined ? [] : wordsOf(mainContainer(chosen), {});
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const given = words[at] === flag ? words[at + 1] : words[at]?.slice(flag.length + 1);
  return given ?? 'workflow-controller-configmap';
}

const flag = '--configmap';
