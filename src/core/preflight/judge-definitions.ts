import { type Finding, passed, warned } from './finding.ts';

/** R3.4: definitions that are there already are listed; those of Argo without Argo CD are named. */
export function judgeDefinitions(definitions: readonly string[], hasArgo: boolean): readonly Finding[] {
  if (definitions.length === 0) return [passed('definitions', 'no CustomResourceDefinition is there')];
  const left = hasArgo ? [] : definitions.filter((name) => name.endsWith('.argoproj.io'));
  const listed = passed('definitions', `${definitions.length} are there: ${definitions.join(', ')}`);
  if (left.length === 0) return [listed];
  return [
    listed,
    warned(
      'definitions of Argo',
      `${left.length} are there without Argo: ${left.join(', ')}`,
      `Bootstrap takes over what its own charts have left. If it refuses, and no object of these kinds is needed any more: \`kubectl delete crd ${left.join(' ')}\`.`,
    ),
  ];
}
