import { criticalPath } from '../graph/critical-path.ts';
import { levels } from '../graph/levels.ts';
import type { Problem } from '../problem.ts';
import type { Plan, PlanAction, Step } from './plan.ts';

export type PlannedStep = Omit<Step, 'wave'>;

/** Steps in any order → the plan: waves, critical path, everything sorted, so that the same inputs give the same bytes (R2.2). */
export function assemblePlan(parts: {
  readonly platform: string;
  readonly action: PlanAction;
  readonly scope: string;
  readonly steps: readonly PlannedStep[];
  readonly seconds: (step: PlannedStep) => number;
  readonly problems: readonly Problem[];
}): Plan {
  const byNode = new Map(parts.steps.map((step) => [step.node, step]));
  const graph = new Map(parts.steps.map((step) => [step.node, new Set(step.after)]));
  const waves = levels(graph);
  const steps = waves.flatMap((names, wave) =>
    names.map((name): Step => {
      const step = byNode.get(name) as PlannedStep;
      return { ...step, after: [...step.after].sort(), wave };
    }),
  );
  const path = criticalPath(graph, (name) => parts.seconds(byNode.get(name) as PlannedStep)).path;
  const working = path.filter((name) => byNode.get(name)?.action !== 'skip');
  return {
    kind: 'Plan',
    platform: parts.platform,
    action: parts.action,
    scope: parts.scope,
    steps,
    waves,
    criticalPath: working,
    problems: parts.problems,
  };
}

/** True when the plan would change nothing. */
export function isIdle(plan: Plan): boolean {
  return plan.steps.every((step) => step.action === 'skip');
}
