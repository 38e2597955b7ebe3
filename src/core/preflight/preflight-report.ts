import type { Amount } from './capacity.ts';
import type { ClusterNode } from './cluster-nodes.ts';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import type { CheckResult, Endpoint, Finding, Verdict } from './finding.ts';

/** What `tiphys preflight -o json` prints; every other format is rendered from it. */
export interface PreflightReport {
  readonly kind: 'Preflight';
  readonly platform: string;
  readonly environment: string;
  /** The context of the kubeconfig. */
  readonly cluster: string;
  readonly outcome: 'ready' | 'warnings' | 'not-ready';
  readonly exitCode: 0 | 1 | 3;
  readonly startedAt: string;
  readonly durationSeconds: number;
  /** Of findings; what was not looked at counts as a warning, too. */
  readonly counts: Readonly<Record<Verdict | 'notLookedAt', number>>;
  readonly checks: readonly CheckResult[];
  /** R3.5: nodes, versions, capacity. */
  readonly inventory: ClusterInventory;
  /** R3.5: each address that was tried, from where and through what. */
  readonly connectivity: readonly (Endpoint & Pick<Finding, 'about' | 'verdict' | 'saw'>)[];
  /** R3.5: which credentials are there and were accepted; never what they are. */
  readonly credentials: readonly Pick<Finding, 'about' | 'verdict' | 'saw'>[];
  /** R3.5: for the comparison after a teardown. */
  readonly snapshot?: ClusterSnapshot;
}

/** As far as it could be read. */
export interface ClusterInventory {
  readonly version?: string;
  readonly platform?: string;
  readonly nodes: readonly ClusterNode[];
  readonly total?: Amount;
  readonly free?: Amount;
  readonly storageClasses: readonly string[];
  readonly definitions: readonly string[];
}
