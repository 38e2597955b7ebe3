import type { Plan, Step } from '../plan/plan.ts';

/**
 * How many tasks one Workflow may have. The API server takes 1.5 MB, the controller 1 MiB with its own notes; a task costs up to
 * 420 bytes, its note 45 when compressed, and the first Workflow carries the run besides.
 */
export const tasksPerWorkflow = 1_500;

/** The steps that have something to do, as many to a Workflow as it can hold; nearly always there is one. */
export function workflowParts(plan: Plan, mostTasks: number): readonly (readonly Step[])[] {
  const steps = plan.steps.filter((step) => step.action !== 'skip');
  const parts: Step[][] = [];
  // In the order of the plan, so that most needs of a step are in its own part.
  for (let from = 0; from < steps.length || from === 0; from += mostTasks)
    parts.push(steps.slice(from, from + mostTasks));
  return parts;
}

/** The names of a run's Workflows; the first one has the run and the hand-over. */
export function partNames(first: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? first : `${first}-part-${index + 1}`));
}
