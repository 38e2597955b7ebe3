import type { NodePhase } from './workflow.ts';

/** Nothing more will happen to the node. */
export function isFulfilled({ phase }: { readonly phase: NodePhase }): boolean {
  return isDone({ phase }) || phase === 'Skipped' || phase === 'Omitted';
}

/** It ran and has a result of its own. */
export function isDone({ phase }: { readonly phase: NodePhase }): boolean {
  return phase === 'Succeeded' || hasFailed({ phase });
}

export function hasFailed({ phase }: { readonly phase: NodePhase }): boolean {
  return phase === 'Failed' || phase === 'Error';
}
