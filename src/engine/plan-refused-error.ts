import type { Plan } from '../core/plan/plan.ts';
import { formatProblems } from '../core/platform/format-problems.ts';

/** The plan has errors: nothing was run. */
export class PlanRefusedError extends Error {
  override readonly name = 'PlanRefusedError';
  readonly plan: Plan;

  constructor(plan: Plan) {
    super(formatProblems(plan.problems));
    this.plan = plan;
  }
}
