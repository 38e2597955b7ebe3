import type { ResourceRef } from '../core/plan/observed.ts';
import type { Plan } from '../core/plan/plan.ts';
import type { Platform } from '../core/platform/platform.ts';
import type { Leftover } from '../core/run/events.ts';
import type { Inventory } from './take-inventory.ts';

/** What every removal of a teardown needs to know. */
export interface RemovalOrder {
  readonly platform: Platform;
  readonly plan: Plan;
  readonly inventory: Inventory;
  readonly includeCrds: boolean;
  /** Takes note of what is kept on purpose. */
  readonly keep: (leftover: Leftover) => void;
  /** Takes note of what Argo CD was told to leave. */
  readonly spared: (objects: readonly ResourceRef[]) => void;
}
