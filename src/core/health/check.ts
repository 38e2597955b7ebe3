import type { Verdict } from './kinds/verdict.ts';

/** One of our own verdicts, on a live object or by a probe, with what it is about. */
export interface Check {
  /** `CephCluster storage/ceph`, `http://…` */
  readonly about: string;
  readonly verdict: Verdict;
}
