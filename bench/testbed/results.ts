import { median } from '../figure.ts';
import type { Method } from './cases.ts';
import type { Measurement } from './measure-once.ts';
import type { ScaleMeasurement } from './scale.ts';

/** What a whole run has measured. */
export interface Results {
  /** How often each case ran. */
  readonly runs: number;
  /** Load average of the machine when it began. */
  readonly load: number;
  /** The release line of Argo CD. */
  readonly argocd: string;
  readonly measurements: readonly Measurement[];
  readonly scale: readonly ScaleMeasurement[];
  /** Runs that ended in an error and were made once more: which, and why. */
  readonly repeated: readonly string[];
}

/** All runs of one method on one case. */
export function runsOf({ measurements }: Results, name: string, method: Method): readonly Measurement[] {
  return measurements.filter((one) => one.case === name && one.method === method);
}

/** Their median makespan, in milliseconds. */
export function spanOf(results: Results, name: string, method: Method): number {
  return median(runsOf(results, name, method).map(({ makespanMs }) => makespanMs));
}
