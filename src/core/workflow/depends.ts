import type { Step } from '../plan/plan.ts';
import { taskOf } from './task-name.ts';

/** When a step may start, in Argo's terms. `tasks`: the nodes that are tasks of this Workflow; others are met already. */
export function dependsOf(
  step: Step,
  { tasks, barrier }: { readonly tasks: ReadonlySet<string>; readonly barrier: readonly string[] },
): string | undefined {
  const needs = step.after.filter((need) => tasks.has(need));
  const needed = needs.map((need) => (step.edges[need] === 'soft' ? over(need) : `${taskOf(need)}.Succeeded`));
  const waited = barrier.filter((node) => !needs.includes(node)).map(over);
  const terms = [...needed, ...waited];
  return terms.length === 0 ? undefined : terms.join(' && ');
}

/** It has ended, however it went: a failure does not block what only wanted to come later. */
function over(node: string): string {
  const task = taskOf(node);
  const ends = ['Succeeded', 'Failed', 'Errored', 'Skipped', 'Omitted'].map((end) => `${task}.${end}`);
  return `(${ends.join(' || ')})`;
}
