import type { EdgeKind } from '../platform/platform.ts';
import type { Problem } from '../problem.ts';
import type { Evidence } from '../run/evidence.ts';

/** What would be done, in order, and why. A plain value: `--dry-run` prints exactly this, and nothing else is ever executed. */
export interface Plan {
  readonly kind: 'Plan';
  readonly platform: string;
  readonly action: PlanAction;
  readonly scope: string;
  /** Sorted by wave, then by name. */
  readonly steps: readonly Step[];
  readonly waves: readonly (readonly string[])[];
  readonly criticalPath: readonly string[];
  readonly problems: readonly Problem[];
}

export type PlanAction = 'deploy' | 'teardown' | 'bootstrap';

export interface Step {
  /** An app's name, or `app#part`. */
  readonly node: string;
  readonly stack: string;
  readonly application: string;
  readonly action: StepAction;
  readonly reason: string;
  /** Names of steps of this plan that come first, sorted. Soft edges are in here too; `edges` tells which. */
  readonly after: readonly string[];
  /** The kind of each entry of `after` that is not hard. */
  readonly edges: Readonly<Record<string, EdgeKind>>;
  readonly wave: number;
  /** For a skip: why we believe it. */
  readonly evidence?: Evidence;
}

/** `install`: a role of the bootstrap. */
export type StepAction = 'sync' | 'part' | 'skip' | 'delete' | 'install';
