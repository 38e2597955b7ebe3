import type { Random } from '../../world/random.ts';

/** Milliseconds; tests choose them for each Application. */
type Delay = (application: string) => number;

/** How long Argo CD takes for its own work, in milliseconds, as observed on two cores with small apps. */
export interface ArgoTiming {
  /** From a new Application or a request to refresh it until the comparison begins. */
  readonly refreshQueue: Delay;
  /** The comparison; what changes meanwhile is not in its verdict. */
  readonly comparison: Delay;
  /** From the verdict (and the automated operation, which comes first) to the patch of the status. */
  readonly statusPatch: Delay;
  /** From the patch that asks for an operation until its state is Running. */
  readonly operationPickup: Delay;
  readonly operationStart: Delay;
  /** From the start of an attempt until its objects are applied. */
  readonly apply: Delay;
  /** Between two objects of one wave. */
  readonly nextObject: Delay;
  /** From the last object applied until the operation is finished, where the scenario says nothing. */
  readonly finish: Delay;
  /** From the end of an operation until the refresh it asks for. */
  readonly refreshAfterOperation: Delay;
  /** From a change of a live object until Argo CD's cache, and so a comparison, knows it. */
  readonly cacheLag: Delay;
  readonly terminate: Delay;
  readonly deletion: Delay;
  readonly resync: Delay;
  /** After each wave or hook but the last. */
  readonly waveDelay: number;
  /** Does the controller overlook this patch of somebody else, because it wrote at the same moment? */
  readonly overlooks: (application: string) => boolean;
}

export function argoTiming(random: Random, overrides: Partial<ArgoTiming> = {}): ArgoTiming {
  const between = (low: number, high: number) => (): number => Math.round(random.between(low, high));
  return {
    refreshQueue: between(5, 14),
    comparison: between(8, 20),
    statusPatch: between(5, 12),
    operationPickup: between(9, 15),
    operationStart: between(7, 11),
    apply: between(60, 130),
    nextObject: () => 0,
    finish: between(20, 90),
    refreshAfterOperation: between(5, 15),
    // Wide on purpose: at its upper end even the refresh that took our annotation writes the old verdict.
    cacheLag: between(15, 110),
    terminate: between(20, 60),
    deletion: between(40, 80),
    resync: between(120_000, 180_000),
    waveDelay: 2000,
    overlooks: () => random.chance(1 / 80),
    ...overrides,
  };
}
