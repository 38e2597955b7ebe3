import type { Fault } from './fault.ts';

/** How the sandbox behaves for a platform: durations, scripted states, faults. */
export interface Scenario {
  readonly defaults: AppScenario;
  readonly apps: ReadonlyMap<string, AppScenario>;
}

export interface AppScenario {
  /** From the moment its objects are applied until its workload is ready. */
  readonly readyMs?: number;
  /** How long the sync operation takes. */
  readonly syncMs?: number;
  /** How long its objects take to go away. */
  readonly deleteMs?: number;
  /** What its main object says of itself, one after the other; the last one stays. */
  readonly states?: readonly ScriptedState[];
  /** False: no automated sync in its Application. */
  readonly automated?: boolean;
  /** Over how many sync waves its objects are spread. */
  readonly waves?: number;
  readonly hooks?: readonly ('PreSync' | 'PostSync')[];
  readonly faults?: readonly Fault[];
}

export interface ScriptedState {
  readonly state: string;
  /** Undefined: for ever. */
  readonly forMs?: number;
}

export const emptyScenario: Scenario = { defaults: {}, apps: new Map() };
