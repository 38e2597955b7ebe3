import type { Observed, ObservedApplication } from '../core/plan/observed.ts';
import type { Workflow } from '../core/workflow/compile-workflow.ts';
import type { WorkflowView } from '../core/workflow/workflow-view.ts';

/** Everything the engine can reach. Passed down by hand; nothing is global. */
export interface World {
  readonly clock: Clock;
  readonly argocd: ArgoCd;
  readonly objects: Objects;
  readonly lease: Lease;
  readonly workflows: Workflows;
  /** Makes the ids we put into the cluster: random in earnest, seeded in simulation. */
  readonly newId: () => string;
}

/** Time as the engine sees it: real, scaled or virtual. Nothing in the engine or the adapters reads a clock or sets a timer in another way. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Argo CD through its declarative API: the Application and AppProject objects. */
export interface ArgoCd {
  /** Everything there is now. Starts the watch; later reads come from it. */
  observe(signal: AbortSignal): Promise<Omit<Observed, 'checks'>>;
  /** The newest state the watch has shown. */
  application(name: string): ObservedApplication | undefined;
  /** How long this line before Argo CD is, by what the watch has shown. */
  line(queue: Queue): Line;
  /** Resolves at the next change of this Application, or at the time `until`, whichever is first. */
  changed(name: string, until: number, signal: AbortSignal): Promise<void>;
  /** Starts an operation by compare-and-swap; never overwrites one. */
  sync(name: string, request: SyncRequest, signal: AbortSignal): Promise<SyncAnswer>;
  /** Asks for a comparison. A new nonce each time, so that a request that was overlooked is seen when repeated. */
  refresh(name: string, nonce: string, signal: AbortSignal): Promise<'asked' | 'missing'>;
  /** Changes nothing but a nonce: wakes a controller that has overlooked our last change. */
  nudge(name: string, nonce: string, signal: AbortSignal): Promise<void>;
  /** Takes back an operation of ours that has not started to do anything. */
  withdraw(name: string, operationId: string, signal: AbortSignal): Promise<void>;
  /** Takes back an operation of Argo CD's own automation; it asks for another when it may. */
  withdrawAutomated(name: string, signal: AbortSignal): Promise<void>;
  /** Asks Argo CD to end an operation of ours that it has begun; it deletes the hooks that run and keeps what was applied. */
  terminate(name: string, operationId: string, signal: AbortSignal): Promise<void>;
  projects(signal: AbortSignal): Promise<readonly HeldProject[]>;
  /** Resolves when the AppProjects are so, as a watch shows them; not before that watch has begun. */
  projectsUntil(isSo: (projects: readonly HeldProject[]) => boolean, signal: AbortSignal): Promise<void>;
  /** Makes our deny window in this project name exactly these Applications; none removes the window. */
  hold(
    project: string,
    applications: readonly string[],
    signal: AbortSignal,
  ): Promise<'changed' | 'unchanged' | 'missing'>;
  /** Adds the cascade finalizer where it is missing: metadata only. */
  cascade(name: string, signal: AbortSignal): Promise<void>;
  delete(name: string, signal: AbortSignal): Promise<void>;
  /** Deletes an ApplicationSet, keeps its Applications, and waits until they are nobody's. */
  dissolve(set: string, applications: readonly string[], signal: AbortSignal): Promise<void>;
}

export interface Line {
  /** How many Applications stand in it. */
  readonly length: number;
  /** How long it took most of those who were answered last. */
  readonly tookMs: number;
}

/** What Argo CD works through one by one: operations that were not begun, comparisons that were not made yet. */
export type Queue = 'operations' | 'comparisons';

export interface HeldProject {
  readonly name: string;
  readonly held: readonly string[];
}

export interface SyncRequest {
  readonly operationId: string;
  readonly runId: string;
  /** Only these objects; undefined: everything. */
  readonly resources?: readonly {
    readonly group: string;
    readonly kind: string;
    readonly namespace: string | undefined;
    readonly name: string;
  }[];
}

/** busy: another operation is there. changed: the object moved under us, look again. */
export type SyncAnswer = 'accepted' | 'busy' | 'changed' | 'missing';

/** Live objects of any kind, for our own verdicts, probes and the removal of what was left behind. */
export interface Objects {
  /** undefined: not there, or its kind is not served any more. */
  read(reference: ObjectReference, signal: AbortSignal): Promise<LiveObject | undefined>;
  /** Objects of a kind, cluster-wide or in one namespace; none when the kind is not served. */
  list(kind: KindReference, namespace: string | undefined, signal: AbortSignal): Promise<readonly LiveObject[]>;
  /** Everything in these namespaces, of every listable kind; for the sweep. */
  contents(namespaces: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, readonly LiveObject[]>>;
  mergePatch(reference: ObjectReference, body: unknown, signal: AbortSignal): Promise<void>;
  create(reference: ObjectReference, body: unknown, signal: AbortSignal): Promise<void>;
  delete(reference: ObjectReference, signal: AbortSignal): Promise<void>;
  /** GET an in-cluster http(s) URL through the API server's service proxy; what went wrong is a sentence, not a throw. */
  probe(url: string, signal: AbortSignal): Promise<{ readonly status: number } | { readonly error: string }>;
}

export interface KindReference {
  readonly group: string;
  readonly kind: string;
}

export interface ObjectReference extends KindReference {
  readonly namespace: string | undefined;
  readonly name: string;
}

/** A live object, as the API server sent it. */
export interface LiveObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly [field: string]: unknown;
}

/** One run at a time. */
export interface Lease {
  /** Takes it, or says who has it. A lease that ran out is taken over. */
  take(holder: string, signal: AbortSignal): Promise<LeaseAnswer>;
  /** Renews until the signal aborts; calls back once when it is lost. */
  keep(holder: string, lost: (message: string) => void, signal: AbortSignal): Promise<void>;
  /** Gives it back; harmless when it is somebody else's by now. */
  give(holder: string, signal: AbortSignal): Promise<void>;
  /** Who has it now, without taking it. */
  holder(signal: AbortSignal): Promise<LeaseHolder | undefined>;
}

export interface LeaseHolder {
  readonly holder: string;
  readonly since: string;
  readonly expiresAt: number;
}

/** Argo Workflows through the Kubernetes API: the Workflows of one platform. */
export interface Workflows {
  /** Throws an OperatorError that says what is missing: the controller's kinds, our templates, or their version. */
  mustBeReady(signal: AbortSignal): Promise<void>;
  /** Writes the run's document the way `read` finds it. */
  pack(run: string): string;
  unpack(packed: string): string;
  submit(workflow: Workflow, signal: AbortSignal): Promise<void>;
  /** Those of this platform, oldest first; none where Argo Workflows is not there. */
  all(signal: AbortSignal): Promise<readonly WorkflowView[]>;
  /** As the watch has last shown it; starts the watch. */
  read(name: string, signal: AbortSignal): Promise<WorkflowView | undefined>;
  /** Resolves when this Workflow is not as in this view any more, or at the time `until`. */
  moved(view: Pick<WorkflowView, 'name' | 'version'>, until: number, signal: AbortSignal): Promise<void>;
  /** Ends it: nothing more is started, what runs is failed, exit handlers run. */
  stop(name: string, signal: AbortSignal): Promise<void>;
}

export type LeaseAnswer =
  | { readonly taken: true; readonly takenOverFrom?: string }
  | { readonly taken: false; readonly by: LeaseHolder };
