import type { Plan } from '../core/plan/plan.ts';
import type { Outcome } from '../core/run/events.ts';
import type { NodeState } from '../core/run/run.ts';
import type { RunControl } from './run-control.ts';
import { countStates } from './run-plan.ts';

export interface Verdict {
  readonly outcome: Outcome;
  readonly exitCode: number;
}

/** How a deploy ended, from the states it left its nodes in. */
export function deployVerdict(
  plan: Plan,
  states: ReadonlyMap<string, NodeState>,
  control: Pick<RunControl, 'stop' | 'timedOut' | 'leaseLost'>,
): Verdict {
  const { good, open, bad } = countStates(plan, states);
  if (control.timedOut()) return { outcome: 'timeout', exitCode: 4 };
  if (control.stop.aborted || control.leaseLost()) return { outcome: 'failed', exitCode: 1 };
  if (bad === 0 && open === 0) return { outcome: 'success', exitCode: 0 };
  return good > 0 ? { outcome: 'partial', exitCode: 2 } : { outcome: 'failed', exitCode: 1 };
}
