import type { Plan, Step } from '../plan/plan.ts';
import type { Order } from '../platform/platform.ts';
import type { NodeState } from './run.ts';

/** What may start now, and for each node that may not: what it waits for, or which failures stand in its way. */
export interface Schedule {
  readonly start: readonly string[];
  readonly waiting: ReadonlyMap<string, readonly string[]>;
  /** Node → the failed nodes at the root of it. */
  readonly blocked: ReadonlyMap<string, readonly string[]>;
}

export interface ScheduleOptions {
  readonly order: Order;
  /** 0 means no limit. */
  readonly parallelism: number;
  /** True: start nothing more; what is blocked is still told. */
  readonly stopping: boolean;
}

/** A pure function of plan, states and limits. The engine is a loop around it: start what may start, wait for any event, ask again. */
export function schedule(plan: Plan, states: ReadonlyMap<string, NodeState>, options: ScheduleOptions): Schedule {
  const start: string[] = [];
  const waiting = new Map<string, readonly string[]>();
  const blocked = new Map<string, readonly string[]>();
  const causes = causesOf(plan, states);
  const barrier = options.order === 'waves' ? firstUnfinishedWave(plan, states) : Number.POSITIVE_INFINITY;
  const places = freePlaces(states, options);
  for (const step of plan.steps) {
    if (stateOf(states, step.node) !== 'pending') continue;
    const roots = causes.get(step.node);
    const open = openNeeds(step, states);
    if (roots !== undefined) blocked.set(step.node, roots);
    else if (open.length > 0) waiting.set(step.node, open);
    else if (step.wave > barrier) waiting.set(step.node, unfinishedOf(plan, states, barrier));
    else if (start.length >= places) waiting.set(step.node, []);
    else start.push(step.node);
  }
  return { start, waiting, blocked };
}

/** How many more may run at once. */
function freePlaces(states: ReadonlyMap<string, NodeState>, { stopping, parallelism }: ScheduleOptions): number {
  if (stopping) return 0;
  if (parallelism === 0) return Number.POSITIVE_INFINITY;
  return parallelism - [...states.values()].filter((state) => state === 'running').length;
}

export function stateOf(states: ReadonlyMap<string, NodeState>, node: string): NodeState {
  return states.get(node) ?? 'pending';
}

/** Nothing more will happen to a node in this state. */
export function isFinal(state: NodeState): boolean {
  return state !== 'pending' && state !== 'running';
}

const satisfied: ReadonlySet<NodeState> = new Set(['healthy', 'skipped', 'removed']);

function openNeeds(step: Step, states: ReadonlyMap<string, NodeState>): string[] {
  return step.after.filter((need) => {
    const state = stateOf(states, need);
    return step.edges[need] === 'soft' ? !isFinal(state) : !satisfied.has(state);
  });
}

const failing: ReadonlySet<NodeState> = new Set(['failed', 'orphaned', 'retained']);

/** Node → the nodes above it that failed themselves; blocked nodes in between are echoes and are not named. */
function causesOf(plan: Plan, states: ReadonlyMap<string, NodeState>): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, readonly string[]>();
  const rootsOf = (need: string): readonly string[] => {
    const state = stateOf(states, need);
    if (failing.has(state)) return [need];
    return satisfied.has(state) ? [] : (known.get(need) ?? []);
  };
  // Steps are sorted by wave, so the needs of a step have been answered before it.
  for (const step of plan.steps) {
    const hard = step.after.filter((need) => step.edges[need] !== 'soft');
    const roots = new Set(hard.flatMap(rootsOf));
    if (roots.size > 0) known.set(step.node, [...roots].sort());
  }
  return known;
}

function firstUnfinishedWave(plan: Plan, states: ReadonlyMap<string, NodeState>): number {
  return plan.steps.find((step) => !isFinal(stateOf(states, step.node)))?.wave ?? Number.POSITIVE_INFINITY;
}

function unfinishedOf(plan: Plan, states: ReadonlyMap<string, NodeState>, wave: number): string[] {
  return plan.steps
    .filter((step) => step.wave === wave && !isFinal(stateOf(states, step.node)))
    .map((step) => step.node);
}
