import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assemblePlan, type PlannedStep } from '../plan/assemble-plan.ts';
import type { Plan, Step } from '../plan/plan.ts';
import type { EdgeKind } from '../platform/platform.ts';
import type { NodeState } from './run.ts';
import { isFinal, type ScheduleOptions, schedule, stateOf } from './scheduler.ts';

const free: ScheduleOptions = { order: 'edges', parallelism: 0, stopping: false };

describe('schedule', () => {
  const plan = planOf({ a: {}, b: { a: 'hard' }, c: { b: 'hard' }, d: { a: 'soft' }, e: {} });

  it('starts what needs nothing, and says for the rest what it waits for', () => {
    const { start, waiting, blocked } = schedule(plan, new Map(), free);
    expect(start).toEqual(['a', 'e']);
    expect(Object.fromEntries(waiting)).toEqual({ b: ['a'], c: ['b'], d: ['a'] });
    expect(blocked.size).toBe(0);
  });

  it('names the cause, not the echoes, and blocks neither soft dependents nor strangers', () => {
    const { start, blocked } = schedule(plan, new Map<string, NodeState>([['a', 'failed']]), free);
    expect(Object.fromEntries(blocked)).toEqual({ b: ['a'], c: ['a'] });
    expect(start).toEqual(['e', 'd']);
    const later = new Map<string, NodeState>([
      ['a', 'failed'],
      ['b', 'blocked'],
    ]);
    expect(schedule(plan, later, free).blocked.get('c')).toEqual(['a']);
  });

  it.each(['orphaned', 'retained', 'failed'] as const)(
    'lets nothing hard go on after a need that ended %s',
    (state) => {
      expect(schedule(plan, new Map([['a', state]]), free).blocked.get('b')).toEqual(['a']);
    },
  );

  it.each(['healthy', 'skipped', 'removed'] as const)('goes on after a need that ended %s', (state) => {
    expect(schedule(plan, new Map([['a', state]]), free).start).toEqual(['e', 'b', 'd']);
  });

  it('waits at the barrier of a wave for its slowest node, by name', () => {
    const states = new Map<string, NodeState>([
      ['a', 'healthy'],
      ['e', 'running'],
    ]);
    const { start, waiting } = schedule(plan, states, { ...free, order: 'waves' });
    expect(start).toEqual([]);
    expect(waiting.get('b')).toEqual(['e']);
    expect(schedule(plan, states, free).start).toEqual(['b', 'd']);
  });

  it('fills the free places and no more', () => {
    expect(schedule(plan, new Map(), { ...free, parallelism: 1 }).start).toEqual(['a']);
    const { start, waiting } = schedule(plan, new Map<string, NodeState>([['a', 'running']]), {
      ...free,
      parallelism: 1,
    });
    expect(start).toEqual([]);
    expect(waiting.get('e')).toEqual([]);
    expect(schedule(plan, new Map<string, NodeState>([['a', 'running']]), { ...free, parallelism: 2 }).start).toEqual([
      'e',
    ]);
  });

  it('starts nothing when the run is stopping, but still tells what is blocked', () => {
    const stopping = { ...free, stopping: true };
    expect(schedule(plan, new Map(), stopping).start).toEqual([]);
    expect(schedule(plan, new Map<string, NodeState>([['a', 'failed']]), stopping).blocked.size).toBe(2);
  });
});

describe('a loop around schedule', () => {
  it('ends with every node final, whatever fails and whoever is fastest', () => {
    check((game) => {
      const states = play(game);
      for (const { node } of game.plan.steps) expect([node, isFinal(stateOf(states, node))]).toEqual([node, true]);
    });
  });

  it('never starts a node before its hard needs are satisfied and its soft ones are over (INV-1)', () => {
    check((game) => {
      play(game, (step, states) => {
        for (const need of step.after) {
          const state = stateOf(states, need);
          if (step.edges[need] === 'soft') expect(isFinal(state)).toBe(true);
          else expect(['healthy', 'skipped']).toContain(state);
        }
      });
    });
  });

  it('blocks exactly what hangs on a failure by hard edges, and names only failures as the cause (INV-4)', () => {
    check((game) => {
      const told = new Map<string, readonly string[]>();
      const states = play(game, undefined, (node, by) => told.set(node, by));
      for (const { node } of game.plan.steps) {
        const causes = failedAbove(game.plan, states, node);
        expect([node, stateOf(states, node) === 'blocked']).toEqual([node, causes.length > 0]);
        // Told at the first failure: a second one may come later.
        expect(causes).toEqual(expect.arrayContaining([...(told.get(node) ?? [])]));
        expect((told.get(node) ?? []).length > 0).toBe(causes.length > 0);
      }
    });
  });

  it('never runs more at once than it may', () => {
    check((game) => {
      const { parallelism } = game.options;
      play(game, (_step, states) => {
        const running = [...states.values()].filter((state) => state === 'running').length;
        if (parallelism > 0) expect(running).toBeLessThan(parallelism);
      });
    });
  });

  it('lets no wave begin before the one before it is over, when asked for waves', () => {
    check((game) => {
      if (game.options.order !== 'waves') return;
      play(game, (step, states) => {
        for (const other of game.plan.steps)
          if (other.wave < step.wave) expect(isFinal(stateOf(states, other.node))).toBe(true);
      });
    });
  });
});

interface Game {
  readonly plan: Plan;
  readonly options: ScheduleOptions;
  /** How each node ends, and in which order the running ones do. */
  readonly fails: ReadonlySet<string>;
  readonly skipped: ReadonlySet<string>;
  readonly luck: readonly number[];
}

function check(property: (game: Game) => void): void {
  fc.assert(fc.property(games, property), { numRuns: 150 });
}

const games: fc.Arbitrary<Game> = fc
  .record({
    size: fc.integer({ min: 1, max: 14 }),
    edges: fc.array(fc.tuple(fc.nat(13), fc.nat(13), fc.constantFrom<EdgeKind>('hard', 'hard', 'soft', 'once')), {
      maxLength: 40,
    }),
    fails: fc.array(fc.nat(13), { maxLength: 4 }),
    skipped: fc.array(fc.nat(13), { maxLength: 3 }),
    order: fc.constantFrom('edges' as const, 'waves' as const),
    parallelism: fc.constantFrom(0, 0, 1, 2, 3),
    luck: fc.array(fc.nat(1_000), { minLength: 14, maxLength: 14 }),
  })
  .map(({ size, edges, fails, skipped, order, parallelism, luck }) => {
    const needs: Record<string, Record<string, EdgeKind>> = {};
    for (let index = 0; index < size; index++) needs[name(index)] = {};
    for (const [a, b, kind] of edges)
      if (a !== b && a < size && b < size) (needs[name(Math.max(a, b))] ?? {})[name(Math.min(a, b))] = kind;
    const names = (indexes: readonly number[]): Set<string> => new Set(indexes.map(name));
    return {
      plan: planOf(needs),
      options: { order, parallelism, stopping: false },
      fails: names(fails),
      skipped: names(skipped),
      luck,
    };
  });

function name(index: number): string {
  // Names do not sort like numbers: the order of the alphabet must not stand in for the order of needs.
  return `n${(index * 7) % 15}`;
}

/** Plays a whole run: starts what may start, ends one running node by luck, asks again. */
function play(
  game: Game,
  onStart: (step: Step, states: ReadonlyMap<string, NodeState>) => void = () => undefined,
  onBlocked: (node: string, by: readonly string[]) => void = () => undefined,
): Map<string, NodeState> {
  const { plan, options, fails, luck } = game;
  const states = new Map<string, NodeState>();
  for (const { node } of plan.steps) if (game.skipped.has(node)) states.set(node, 'skipped');
  for (let turn = 0; turn <= plan.steps.length * 3; turn++) {
    const { start, blocked } = schedule(plan, states, options);
    for (const [node, by] of blocked) {
      states.set(node, 'blocked');
      onBlocked(node, by);
    }
    if (blocked.size > 0) continue;
    for (const node of start) {
      onStart(plan.steps.find((step) => step.node === node) as Step, states);
      states.set(node, 'running');
    }
    const running = [...states].filter(([, state]) => state === 'running').map(([node]) => node);
    if (running.length === 0) break;
    const ending = running[(luck[turn % luck.length] ?? 0) % running.length] as string;
    states.set(ending, fails.has(ending) ? 'failed' : 'healthy');
  }
  return states;
}

/** The failed nodes from which a chain of hard edges leads here, found without the scheduler. */
function failedAbove(plan: Plan, states: ReadonlyMap<string, NodeState>, node: string): string[] {
  if (stateOf(states, node) === 'skipped') return [];
  const found = new Set<string>();
  const visit = (current: string): void => {
    const step = plan.steps.find((candidate) => candidate.node === current);
    for (const need of step?.after ?? []) {
      if (step?.edges[need] === 'soft') continue;
      if (stateOf(states, need) === 'failed') found.add(need);
      else if (stateOf(states, need) === 'blocked') visit(need);
    }
  };
  visit(node);
  return [...found].sort();
}

function planOf(needs: Readonly<Record<string, Readonly<Record<string, EdgeKind>>>>): Plan {
  const steps = Object.entries(needs).map(
    ([node, edges]): PlannedStep => ({
      node,
      stack: 's',
      application: node,
      action: 'sync',
      reason: 'test',
      after: Object.keys(edges),
      edges: Object.fromEntries(Object.entries(edges).filter(([, kind]) => kind !== 'hard')),
    }),
  );
  return assemblePlan({ platform: 'p', action: 'deploy', scope: 'platform', steps, seconds: () => 1, problems: [] });
}
