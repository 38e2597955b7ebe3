import type { Position } from '../problem.ts';

/** A platform as its folder describes it: checked, with every default filled in and every stack need expanded to apps. */
export interface Platform {
  readonly name: string;
  /** The app-of-apps Application at the top, when there is one. */
  readonly root?: string;
  readonly stacks: ReadonlyMap<string, Stack>;
  /** By app name, in the order of the file. */
  readonly apps: ReadonlyMap<string, App>;
  readonly environment: Environment;
}

export interface Stack {
  readonly name: string;
  /** The stack's parent Application, when there is one. */
  readonly application?: string;
  readonly apps: readonly string[];
}

export interface App {
  readonly name: string;
  readonly stack: string;
  /** The Argo CD Application's name; the app's own name unless the file says otherwise. */
  readonly application: string;
  readonly type: AppType;
  readonly layer?: number;
  /** Sorted by node name, one entry a node; a need on a stack has become one need per app of it. */
  readonly needs: readonly Need[];
  readonly parts: ReadonlyMap<string, Part>;
  readonly timeouts: Timeouts;
  readonly retries: Retries;
  readonly stateful: boolean;
  /** False: the app never reaches Synced; gate on operation and health only. */
  readonly settles: boolean;
  readonly mayBeEmpty: boolean;
  readonly probes: readonly Probe[];
  readonly at: Position;
}

export type AppType = 'simple' | 'operator' | 'database' | 'vault' | 'ceph';

/** hard: no start until Healthy · soft: order only, a failure does not block · once: Healthy once is enough on later runs. */
export type EdgeKind = 'hard' | 'soft' | 'once';

export interface Need {
  /** An app's name, or `app#part`. */
  readonly node: string;
  readonly edge: EdgeKind;
  /** The stack whose need this was, when it was declared on a stack (`storage needs infrastructure`) or names one. */
  readonly throughStack?: string;
  readonly at: Position;
}

/** Named objects of an app that others may need before the whole app; synced on their own. */
export interface Part {
  readonly name: string;
  readonly kinds: readonly string[];
  /** Object names; empty means every object of those kinds. */
  readonly names: readonly string[];
  readonly needs: readonly Need[];
}

export interface Timeouts {
  readonly syncMs: number;
  readonly healthMs: number;
}

export interface Retries {
  readonly maxAttempts: number;
  readonly backoffMs: number;
}

export interface Probe {
  readonly http: string;
  readonly expect: { readonly status: number };
}

export interface Environment {
  readonly name: string;
  readonly domain: string;
  readonly gitRepository: string;
  readonly gitRevision: string;
  readonly clusterName?: string;
  readonly argocdNamespace: string;
  readonly workflowsNamespace: string;
  readonly runTimeoutMs?: number;
  readonly engine: Engine;
  readonly order: Order;
  /** 0 means no limit. */
  readonly parallelism: number;
  readonly pvPolicy: PvPolicy;
}

export type Engine = 'embedded' | 'argo-workflows';
export type Order = 'edges' | 'waves';
export type PvPolicy = 'retain' | 'delete' | 'snapshot';
