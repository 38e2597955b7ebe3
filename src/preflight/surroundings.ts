import type { Network } from '../adapters/network/reach.ts';
import type { PreflightSpec } from '../core/platform/environment-schema.ts';
import type { Platform } from '../core/platform/platform.ts';
import type { ClusterSnapshot } from '../core/preflight/cluster-snapshot.ts';
import type { Clock } from '../engine/ports.ts';
import type { ClusterLook } from './open-look.ts';

/** Everything that checks may look at. */
export interface Surroundings {
  readonly clock: Clock;
  readonly platform: Platform;
  /** `preflight:` of environment.yaml. */
  readonly section: PreflightSpec;
  /** `bootstrap`: right before one, which goes on where an earlier one stopped and needs fewer tools than people do. */
  readonly purpose: 'report' | 'bootstrap';
  readonly cluster: ClusterLook;
  readonly network: Network;
  /** Environment of the programs that are run, and where they are looked for. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string | undefined;
  /** A file or folder that the command line names for Git. */
  readonly gitCredentials: string | undefined;
  /** Where secrets are mounted. */
  readonly secretsFolder: string;
  /** Files with authorities that are named and cannot be used: why, by file. */
  readonly badAuthorities: ReadonlyMap<string, string>;
  readonly charts: ChartPlaces;
  /** An earlier snapshot to compare with. */
  readonly before: ClusterSnapshot | undefined;
  /** Only when it was asked for: a Pod is made there. */
  readonly fromCluster: { readonly namespace: string; readonly name: string } | undefined;
}

/** Where the charts of the bootstrap come from. */
export type ChartPlaces =
  | { readonly kind: 'folder'; readonly folder: string; readonly missing: readonly string[]; readonly wanted: number }
  /** Helm repositories and registries. */
  | { readonly kind: 'sources'; readonly sources: readonly string[] };
