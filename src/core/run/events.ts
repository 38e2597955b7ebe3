import type { Plan } from '../plan/plan.ts';
import type { Evidence } from './evidence.ts';

/** The only output of the engine. Live view, log lines, reports and `--events` are folds over these. `at` is ISO 8601 with milliseconds. */
export type RunEvent = { readonly at: string } & RunEventBody;

export type RunEventBody =
  | {
      readonly type: 'run-started';
      readonly runId: string;
      readonly plan: Plan;
      readonly engine: string;
      readonly order: string;
      readonly parallelism: number;
    }
  | { readonly type: 'phase-started'; readonly phase: RunPhase; readonly message: string }
  | { readonly type: 'lease-taken'; readonly holder: string; readonly takenOverFrom?: string }
  | { readonly type: 'lease-lost'; readonly message: string }
  /** From here on the run lives in the cluster: it goes on without us. */
  | { readonly type: 'workflow-submitted'; readonly namespace: string; readonly name: string }
  | { readonly type: 'hold-set'; readonly project: string; readonly applications: readonly string[] }
  | { readonly type: 'hold-released'; readonly project: string; readonly applications: readonly string[] }
  | { readonly type: 'warning'; readonly message: string; readonly hint?: string; readonly node?: string }
  | { readonly type: 'node-waiting'; readonly node: string; readonly for: readonly string[] }
  | { readonly type: 'node-started'; readonly node: string; readonly attempt: number }
  | {
      readonly type: 'operation-triggered';
      readonly node: string;
      readonly application: string;
      readonly operationId: string;
    }
  | { readonly type: 'operation-progress'; readonly node: string; readonly message: string }
  | {
      readonly type: 'operation-finished';
      readonly node: string;
      readonly operationId: string;
      readonly phase: string;
      readonly message: string;
      readonly revision?: string;
    }
  | {
      readonly type: 'gate-progress';
      readonly node: string;
      readonly waitingFor: string;
      readonly sync?: string;
      readonly health?: string;
    }
  | {
      readonly type: 'node-retrying';
      readonly node: string;
      readonly attempt: number;
      readonly because: string;
      readonly delaySeconds: number;
    }
  | { readonly type: 'node-healthy'; readonly node: string; readonly evidence: Evidence }
  | { readonly type: 'node-skipped'; readonly node: string; readonly because: string; readonly evidence: Evidence }
  | {
      readonly type: 'node-failed';
      readonly node: string;
      readonly because: string;
      readonly hint?: string;
      readonly attempts: number;
      readonly timedOut: boolean;
    }
  /** `by`: the failed nodes at the root of it, never blocked ones in between. */
  | { readonly type: 'node-blocked'; readonly node: string; readonly by: readonly string[] }
  | { readonly type: 'deletion-progress'; readonly node: string; readonly waitingFor: string }
  | { readonly type: 'node-removed'; readonly node: string; readonly objects: number }
  | { readonly type: 'node-retained'; readonly node: string; readonly because: string }
  | {
      readonly type: 'node-orphaned';
      readonly node: string;
      readonly because: string;
      readonly hint: string;
      readonly orphans: readonly Leftover[];
    }
  | { readonly type: 'retained'; readonly objects: readonly Leftover[] }
  | { readonly type: 'orphans'; readonly objects: readonly Leftover[] }
  /** What else is in the cluster that was not there before the platform came. */
  | { readonly type: 'compared'; readonly comparison: Comparison }
  /** The run goes on without this process. */
  | { readonly type: 'run-detached'; readonly follow: string }
  | { readonly type: 'run-interrupted'; readonly because: string }
  | { readonly type: 'run-finished'; readonly outcome: Outcome; readonly exitCode: number };

export type RunPhase =
  | 'observe'
  | 'plan'
  | 'hold'
  | 'prepare'
  | 'run'
  | 'release'
  | 'verify'
  | 'quiesce'
  | 'remove'
  | 'sweep';

export type Outcome =
  | 'success'
  | 'partial'
  | 'failed'
  | 'timeout'
  | 'clean'
  | 'orphans'
  | 'healthy'
  | 'degraded'
  | 'unhealthy';

/** The cluster after a teardown against an earlier snapshot; what is kept on purpose or left behind is told as that. */
export interface Comparison {
  /** When the snapshot was taken. */
  readonly since: string;
  /** Installed by a bootstrap, which a teardown leaves. */
  readonly bootstrap: readonly string[];
  /** Nothing on them says whose they are. */
  readonly others: readonly string[];
  /** Kinds that could not be read, so that nothing is said of them. */
  readonly unread: readonly string[];
}

/** An object that is still there after a teardown: kept on purpose, or left behind. */
export interface Leftover {
  /** `PersistentVolume pv-1`, `ConfigMap data/settings` … */
  readonly object: string;
  readonly because: string;
  readonly hint?: string;
  readonly node?: string;
}
