import type { App, AppType } from '../../core/platform/platform.ts';
import type { Fault } from './fault.ts';
import { createRandom, hashText } from './random.ts';
import type { AppScenario, Scenario, ScriptedState } from './scenario.ts';

/** How one app behaves in this world, with every default filled in. */
export interface Behaviour {
  readonly readyMs: number;
  readonly syncMs: number;
  readonly deleteMs: number;
  readonly states: readonly ScriptedState[] | undefined;
  readonly automated: boolean;
  readonly waves: number;
  readonly hooks: readonly ('PreSync' | 'PostSync')[];
}

/** The app's behaviour: its own words in the scenario, then the scenario's defaults, then what its type usually takes. */
export function behaviourOf(app: App, scenario: Scenario, seed: number): Behaviour {
  const chosen: AppScenario = { ...scenario.defaults, ...scenario.apps.get(app.name) };
  const random = createRandom(hashText(app.name, seed ^ 0x811c9dc5));
  const [low, high] = usualReadyMs[app.type];
  return {
    readyMs: chosen.readyMs ?? Math.round(random.between(low, high)),
    syncMs: chosen.syncMs ?? Math.round(random.between(400, 3000)),
    deleteMs: chosen.deleteMs ?? Math.round(random.between(200, 5000)),
    states: chosen.states,
    automated: chosen.automated ?? true,
    waves: chosen.waves ?? 1,
    hooks: chosen.hooks ?? [],
  };
}

/** The faults of a scenario and of the command line together. */
export function faultsOf(scenario: Scenario, more: readonly Fault[]): Fault[] {
  return [...[...scenario.apps.values()].flatMap((app) => app.faults ?? []), ...more];
}

const minute = 60_000;

const usualReadyMs: Record<AppType, readonly [number, number]> = {
  simple: [20_000, minute],
  operator: [minute, 2 * minute],
  database: [3 * minute, 5 * minute],
  vault: [2 * minute, 2 * minute],
  ceph: [12 * minute, 15 * minute],
};
