import type { Workflow } from './workflow.ts';

interface Strategy {
  readonly secondsAfterCompletion?: number;
  readonly secondsAfterSuccess?: number;
  readonly secondsAfterFailure?: number;
}

/** When a completed Workflow is deleted, in milliseconds of cluster time; undefined when it stays. */
export function endOfLife({ spec, status = {} }: Workflow): number | undefined {
  const own = (spec['ttlStrategy'] ?? status.storedWorkflowTemplateSpec?.['ttlStrategy'] ?? {}) as Strategy;
  const seconds = lifeAfter(own, status.phase === 'Succeeded');
  if (seconds === undefined || typeof status.finishedAt !== 'string') return undefined;
  return Date.parse(status.finishedAt) + seconds * 1000;
}

function lifeAfter(strategy: Strategy, isSuccess: boolean): number | undefined {
  const special = isSuccess ? strategy.secondsAfterSuccess : strategy.secondsAfterFailure;
  return special ?? strategy.secondsAfterCompletion;
}
