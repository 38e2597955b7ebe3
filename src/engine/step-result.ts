import type { App, Environment } from '../core/platform/platform.ts';
import type { Evidence } from '../core/run/evidence.ts';
import type { OperationResult, StillWanted } from './operation.ts';
import type { Parents } from './parents.ts';

/** How one attempt at a node ended. Only `failed` is worth another attempt, unless it is final. */
export type StepResult =
  | { readonly result: 'healthy'; readonly evidence: Evidence }
  | {
      readonly result: 'failed' | 'timed-out';
      readonly because: string;
      readonly hint: string;
      readonly isFinal?: boolean;
    };

export interface StepOrder {
  readonly node: string;
  readonly app: App;
  readonly environment: Environment;
  readonly runId: string;
  readonly parents: Parents;
  /** False on the first attempt: what an earlier run has synced already is not synced again, only awaited. */
  readonly again: boolean;
  /** Asked once more just before its sync begins. */
  readonly stillWanted?: StillWanted;
  /** Told when it is synced, and only has to become Healthy. */
  readonly onSynced?: () => void;
}

/** A sync that did not succeed, as the end of an attempt. */
export function failedStep(operation: Exclude<OperationResult, { ended: 'succeeded' }>): StepResult {
  return {
    result: operation.ended === 'timed-out' ? 'timed-out' : 'failed',
    because: operation.because,
    hint: operation.hint,
  };
}
