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
}
