import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Plan } from '../plan/plan.ts';
import type { EdgeKind, Order } from '../platform/platform.ts';
import type { NodeState } from '../run/run.ts';
import { schedule } from '../run/scheduler.ts';
import { compileWorkflows, type Workflow } from './compile-workflow.ts';
import { type CompiledTask, planWith, platformFor, tasksOf } from './workflow.fixture.ts';

interface Game {
  readonly plan: Plan;
  readonly order: Order;
  readonly fails: ReadonlySet<string>;
  readonly luck: readonly number[];
}

it('the compiled depends lets Argo start nothing that the scheduler would not, ever (INV-1)', () => {
  fc.assert(
    fc.property(games, (game) => {
      playBoth(game, (argo, ours) => expect(ours).toEqual(expect.arrayContaining([...argo])));
    }),
    { numRuns: 200 },
  );
});

it('as long as nothing fails, Argo starts at every moment exactly what the scheduler would', () => {
  fc.assert(
    fc.property(games, (game) => {
      playBoth({ ...game, fails: new Set() }, (argo, ours) => expect([...argo].sort()).toEqual([...ours].sort()));
    }),
    { numRuns: 200 },
  );
});

it('in the end Argo has omitted exactly what the scheduler calls blocked, and run all the rest (INV-4)', () => {
  fc.assert(
    fc.property(games, (game) => {
      const { ends, states } = playBoth(game, () => undefined);
      const expected = game.plan.steps
        .filter(({ action }) => action !== 'skip')
        .map(({ node }) => [node, argoEnd(states.get(node))]);
      expect(Object.fromEntries(ends)).toEqual(Object.fromEntries(expected));
    }),
    { numRuns: 200 },
  );
});

const games: fc.Arbitrary<Game> = fc
  .record({
    size: fc.integer({ min: 1, max: 12 }),
    edges: fc.array(fc.tuple(fc.nat(11), fc.nat(11), fc.constantFrom<EdgeKind>('hard', 'hard', 'soft', 'once')), {
      maxLength: 30,
    }),
    fails: fc.array(fc.nat(11), { maxLength: 4 }),
    skipped: fc.array(fc.nat(11), { maxLength: 3 }),
    order: fc.constantFrom<Order>('edges', 'waves'),
    luck: fc.array(fc.nat(1_000), { minLength: 12, maxLength: 12 }),
  })
  .map(({ size, edges, fails, skipped, order, luck }) => {
    const needs: Record<string, Record<string, EdgeKind>> = {};
    for (let index = 0; index < size; index++) needs[name(index)] = {};
    for (const [a, b, kind] of edges)
      if (a !== b && a < size && b < size) (needs[name(Math.max(a, b))] ?? {})[name(Math.min(a, b))] = kind;
    return { plan: planWith(needs, new Set(skipped.map(name))), order, fails: new Set(fails.map(name)), luck };
  });

/** Names with everything in them that a task cannot have. */
function name(index: number): string {
  const number = (index * 7) % 13;
  return index % 3 === 0 ? `${number}-n#p-${number}` : `n-${number}`;
}

type End = 'Succeeded' | 'Failed' | 'Omitted';

/** Plays the same run twice at once: by the depends of the compiled tasks, and by the scheduler. */
function playBoth(
  { plan, order, fails, luck }: Game,
  compare: (argo: readonly string[], ours: readonly string[]) => void,
): { ends: ReadonlyMap<string, End>; states: ReadonlyMap<string, NodeState> } {
  const tasks = tasksOf(compiled({ platform: platformFor(plan), plan, order, run: '' }));
  const nodes = new Map(tasks.map((task) => [task.name, inputOf(task)]));
  const ends = new Map<string, End>();
  const running = new Set<string>();
  const states = new Map<string, NodeState>();
  for (const { node, action } of plan.steps) if (action === 'skip') states.set(node, 'skipped');
  for (let turn = 0; turn <= 3 * plan.steps.length; turn++) {
    const start: string[] = [];
    for (let again = true; again; ) {
      again = false;
      for (const task of tasks) {
        const node = inputOf(task);
        if (ends.has(node) || running.has(node) || start.includes(node)) continue;
        const verdict = evaluate(task.depends, (named) => ends.get(nodes.get(named) ?? ''));
        if (verdict === 'start') start.push(node);
        if (verdict === 'omit') ends.set(node, 'Omitted');
        again ||= verdict === 'omit';
      }
    }
    compare(start, mayStart(plan, states, order));
    for (const node of start) {
      running.add(node);
      states.set(node, 'running');
    }
    const open = [...running];
    if (open.length === 0) break;
    const ending = open[(luck[turn % luck.length] ?? 0) % open.length] as string;
    running.delete(ending);
    ends.set(ending, fails.has(ending) ? 'Failed' : 'Succeeded');
    states.set(ending, fails.has(ending) ? 'failed' : 'healthy');
  }
  mayStart(plan, states, order);
  return { ends, states };
}

/** What the scheduler would start; what it blocks is written into the states, as the engine does. */
function mayStart(plan: Plan, states: Map<string, NodeState>, order: Order): readonly string[] {
  for (;;) {
    const { start, blocked } = schedule(plan, states, { order, parallelism: 0, stopping: false });
    if (blocked.size === 0) return start;
    for (const node of blocked.keys()) states.set(node, 'blocked');
  }
}

/**
 * Argo's rule, written from its description and not from our sandbox: nothing is decided before every task that the expression
 * names has ended; then it is true, and the task starts, or false, and it is omitted. `-` and `_` are the same to it.
 */
function evaluate(depends: string | undefined, endOf: (task: string) => End | undefined): 'start' | 'omit' | 'wait' {
  if (depends === undefined) return 'start';
  const terms = [...depends.matchAll(/([A-Za-z][-A-Za-z0-9]*)\.([A-Za-z]+)/g)];
  if (terms.some(([, task = '']) => endOf(task) === undefined)) return 'wait';
  const values = depends.replaceAll(/([A-Za-z][-A-Za-z0-9]*)\.([A-Za-z]+)/g, (_all, task: string, end: string) =>
    String(endOf(task) === end),
  );
  expect(values).toMatch(/^(true|false|[()|& ])+$/);
  const either = values.replaceAll(/\(([^()]*)\)/g, (_all, inner: string) =>
    String(inner.split(' || ').includes('true')),
  );
  expect(either).not.toContain('|');
  return either.split(' && ').every((part) => part === 'true') ? 'start' : 'omit';
}

function inputOf({ arguments: { parameters } }: CompiledTask): string {
  return parameters.find((each) => each.name === 'node')?.value ?? '';
}

function argoEnd(state: NodeState | undefined): End | undefined {
  if (state === 'healthy') return 'Succeeded';
  if (state === 'failed') return 'Failed';
  return state === 'blocked' ? 'Omitted' : undefined;
}

function compiled(options: Parameters<typeof compileWorkflows>[0]): Workflow {
  const [workflow] = compileWorkflows(options);
  if (workflow === undefined) throw new Error('there is always one');
  return workflow;
}
