import type { Engine, Order, PvPolicy } from './platform.ts';

/** What the command line says; it wins over both files. */
export interface PlatformOverrides {
  readonly gitRepository?: string;
  readonly gitRevision?: string;
  /** Sync and health time-out by app; `*` means every app that is not named. */
  readonly nodeTimeouts?: ReadonlyMap<string, number>;
  readonly engine?: Engine;
  readonly order?: Order;
  readonly parallelism?: number;
  readonly pvPolicy?: PvPolicy;
  readonly runTimeoutMs?: number;
}
