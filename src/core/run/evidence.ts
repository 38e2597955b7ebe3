/** What made a gate open. Stored with the node, shown in every report. */
export interface Evidence {
  readonly operationId?: string;
  readonly revision?: string;
  readonly operationPhase?: string;
  readonly refreshedAt?: string;
  readonly sync?: string;
  readonly health?: string;
  readonly resources?: number;
  readonly stableSeconds?: number;
  /** Our own verdicts beyond Argo CD's, e.g. `CephCluster storage/ceph: Ready, HEALTH_OK`. */
  readonly checks?: readonly string[];
  /** Rules relaxed for this app, e.g. `settles: false`. */
  readonly notes?: readonly string[];
}
