/** What published objects say about how they are to be played. */
export const annotations = {
  /** On a custom resource: the states its operator reports, as `ScriptStep[]` in JSON. */
  script: 'testbed.tiphys.dev/script',
  /** On a custom resource: the finalizers its operator, or somebody who never takes it away, puts on it; with commas between. */
  finalizers: 'testbed.tiphys.dev/finalizers',
  /** On a pod: how long it takes to become ready, or to complete when it belongs to a Job; `never`. */
  readyAfter: 'testbed.tiphys.dev/ready-after',
  /** On a pod: how long it stays ready. */
  unreadyAfter: 'testbed.tiphys.dev/unready-after',
  /** On a pod or a custom resource: how long it takes to go. */
  deleteAfter: 'testbed.tiphys.dev/delete-after',
  /** On Vault's pod: the words of its health endpoint, as `VaultWord[]` in JSON, counted from its readiness. */
  vault: 'testbed.tiphys.dev/vault',
} as const;

/** A label, because a webhook is asked only for objects with a label: how many attempts are refused, or `always`. */
export const refusedLabel = 'testbed.tiphys.dev/refused';

/** On a definition: objects of its kind are played, too, though nobody knows the kind. */
export const operatedAnnotation = 'testbed.tiphys.dev/operated';

/** One state of a custom resource. Times are Go durations. */
export interface ScriptStep {
  readonly after: string;
  readonly status: Readonly<Record<string, unknown>>;
  /** Whether the operator says which generation it speaks of. */
  readonly observed: boolean;
}

/** Without `forMs` it stays. */
export interface VaultWord {
  readonly state: string;
  readonly forMs?: number;
}
