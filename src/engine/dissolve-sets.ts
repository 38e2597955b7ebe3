import type { Observed } from '../core/plan/observed.ts';
import type { Platform } from '../core/platform/platform.ts';
import type { Emit } from './event-queue.ts';
import { OperatorError } from './operator-error.ts';
import { parentsOf } from './parents.ts';
import type { World } from './ports.ts';

export interface DissolveOrder {
  readonly platform: Platform;
  readonly observed: Observed;
  /** The Applications that are about to go. */
  readonly going: readonly string[];
}

/**
 * Removes the ApplicationSets that made what is about to go, and leaves their Applications behind. A set would make a removed
 * Application anew, take our finalizer away from it, and delete all of its own at once, in no order.
 */
export async function dissolveSets(world: World, emit: Emit, order: DissolveOrder, signal: AbortSignal): Promise<void> {
  for (const [set, applications] of setsOf(order)) {
    emit({
      type: 'phase-started',
      phase: 'quiesce',
      message: `removing ApplicationSet ${set}, which would make them anew`,
    });
    await world.argocd.dissolve(set, applications, signal);
  }
}

/** The sets that go; refused when one makes something else, too. */
export function setsOf({ platform, observed, going }: DissolveOrder): readonly [string, readonly string[]][] {
  const names = new Set(going);
  const sets = [...madeBySets(observed)].filter(([, applications]) => applications.some((name) => names.has(name)));
  for (const [set, applications] of sets) {
    const staying = applications.filter((name) => !names.has(name));
    if (staying.length > 0) throw makesMore(platform, set, staying);
  }
  return sets;
}

function madeBySets({ applications }: Observed): Map<string, string[]> {
  const made = new Map<string, string[]>();
  for (const { name, madeBy } of applications.values()) {
    if (madeBy !== undefined) made.set(madeBy, [...(made.get(madeBy) ?? []), name]);
  }
  return made;
}

function makesMore(platform: Platform, set: string, staying: readonly string[]): OperatorError {
  const known = new Set([...parentsOf(platform), ...[...platform.apps.values()].map((app) => app.application)]);
  const isOurs = staying.every((name) => known.has(name));
  return new OperatorError(`ApplicationSet ${set} also makes ${staying.slice(0, 5).join(', ')}, which should stay`, {
    hint: isOurs
      ? 'Take down the whole platform, or take the app out of the set’s generator in Git.'
      : 'Add them to dag.yaml, or give them an ApplicationSet of their own.',
  });
}
