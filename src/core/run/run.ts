import type { Plan } from '../plan/plan.ts';
import type { Comparison, Leftover, Outcome, RunPhase } from './events.ts';
import type { Evidence } from './evidence.ts';

/** A run so far: the fold of its events. Every view and report is made from this value alone. */
export interface Run {
  readonly runId: string;
  readonly plan: Plan | undefined;
  readonly engine: string;
  readonly order: string;
  /** `namespace/name` of the Workflow that runs it. */
  readonly workflow?: string;
  readonly phase: RunPhase;
  readonly startedAt: string | undefined;
  /** Time of the newest event. */
  readonly now: string | undefined;
  readonly finishedAt: string | undefined;
  readonly nodes: ReadonlyMap<string, NodeRun>;
  readonly held: ReadonlySet<string>;
  readonly warnings: readonly Warning[];
  readonly retained: readonly Leftover[];
  readonly orphans: readonly Leftover[];
  readonly comparison?: Comparison;
  readonly interrupted: string | undefined;
  readonly outcome: Outcome | undefined;
  readonly exitCode: number | undefined;
}

export interface Warning {
  readonly message: string;
  readonly hint?: string;
  readonly node?: string;
}

export type NodeState =
  | 'pending'
  | 'running'
  | 'healthy'
  | 'skipped'
  | 'failed'
  | 'blocked'
  | 'removed'
  | 'retained'
  | 'orphaned';

export interface NodeRun {
  readonly name: string;
  readonly stack: string;
  readonly state: NodeState;
  /** While running: what it is doing now. `retrying` waits for the back-off. */
  readonly stage?: NodeStage;
  /** One sentence: what it waits for now, or why it ended as it did. */
  readonly because?: string;
  readonly hint?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly attempts: number;
  readonly waitedFor: readonly string[];
  readonly blockedBy?: readonly string[];
  readonly timedOut?: boolean;
  readonly sync?: string;
  readonly health?: string;
  readonly evidence?: Evidence;
  readonly objects?: number;
  /** What it did when, oldest first; the last one has no end while the node runs. */
  readonly segments?: readonly Segment[];
}

export type NodeStage = 'starting' | 'syncing' | 'gate' | 'retrying' | 'deleting';

/** A stretch of a node's time in one stage. */
export interface Segment {
  readonly stage: NodeStage;
  readonly from: string;
  readonly to?: string;
}
