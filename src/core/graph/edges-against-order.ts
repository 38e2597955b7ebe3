import type { Graph } from './graph.ts';
import { strongComponents } from './strong-components.ts';

export type Edge = readonly [from: string, to: string];

/**
 * The loose edges to leave out so that firm and loose edges together have no cycle. Only edges that lie on a cycle are named.
 * The firm graph must have no cycle; both graphs have the same names. Linear in the number of edges.
 */
export function edgesAgainstOrder(firm: Graph, loose: Graph): Edge[] {
  const both = new Map([...firm].map(([name, needs]) => [name, new Set([...needs, ...(loose.get(name) ?? [])])]));
  return strongComponents(both)
    .filter((component) => component.length > 1 || loose.get(component[0] ?? '')?.has(component[0] ?? ''))
    .flatMap((component) => againstOrderWithin(component, firm, loose));
}

/**
 * Orders the names of one component, firm and loose needs first. Where every name left still waits for something, the name
 * that has waited longest for loose needs only goes next, and what it still waited for is left out.
 */
function againstOrderWithin(component: readonly string[], firm: Graph, loose: Graph): Edge[] {
  const work = startWork(component, firm, loose);
  const dropped: Edge[] = [];
  const place = (name: string) => {
    for (const need of loose.get(name) ?? []) {
      if (work.waiting.has(need) || need === name) dropped.push([name, need]);
    }
    release(name, work);
  };
  while (work.waiting.size > 0) {
    const name = nextName(work);
    if (name === undefined) throw new Error('the firm edges have a cycle of their own');
    place(name);
  }
  return dropped;
}

interface Counts {
  firm: number;
  loose: number;
}

interface Work {
  readonly waiting: Map<string, Counts>;
  readonly firmDependents: ReadonlyMap<string, readonly string[]>;
  readonly looseDependents: ReadonlyMap<string, readonly string[]>;
  readonly free: string[];
  readonly firmFree: string[];
  nextFree: number;
  nextFirmFree: number;
}

function startWork(component: readonly string[], firm: Graph, loose: Graph): Work {
  const members = new Set(component);
  const firmDependents = dependentsWithin(members, firm);
  const looseDependents = dependentsWithin(members, loose);
  const waiting = new Map<string, Counts>();
  for (const name of component) waiting.set(name, { firm: 0, loose: 0 });
  for (const names of firmDependents.values()) for (const name of names) count(waiting, name).firm += 1;
  for (const names of looseDependents.values()) for (const name of names) count(waiting, name).loose += 1;
  const work: Work = {
    waiting,
    firmDependents,
    looseDependents,
    free: [],
    firmFree: [],
    nextFree: 0,
    nextFirmFree: 0,
  };
  for (const name of component) queueWhenFree(name, work);
  return work;
}

function dependentsWithin(members: ReadonlySet<string>, graph: Graph): Map<string, string[]> {
  const result = new Map<string, string[]>();
  for (const name of members) result.set(name, []);
  for (const name of members) {
    for (const need of graph.get(name) ?? []) result.get(need)?.push(name);
  }
  return result;
}

function count(waiting: Map<string, Counts>, name: string): Counts {
  return waiting.get(name) ?? { firm: 0, loose: 0 };
}

function queueWhenFree(name: string, work: Work): void {
  const counts = work.waiting.get(name);
  if (counts === undefined || counts.firm > 0) return;
  (counts.loose > 0 ? work.firmFree : work.free).push(name);
}

function nextName(work: Work): string | undefined {
  const free = work.free[work.nextFree];
  if (free !== undefined) {
    work.nextFree += 1;
    return free;
  }
  for (let name = work.firmFree[work.nextFirmFree]; name !== undefined; name = work.firmFree[work.nextFirmFree]) {
    work.nextFirmFree += 1;
    if (work.waiting.has(name)) return name;
  }
  return undefined;
}

function release(name: string, work: Work): void {
  work.waiting.delete(name);
  for (const dependent of work.firmDependents.get(name) ?? []) settle(dependent, 'firm', work);
  for (const dependent of work.looseDependents.get(name) ?? []) settle(dependent, 'loose', work);
}

function settle(name: string, kind: keyof Counts, work: Work): void {
  const counts = work.waiting.get(name);
  if (counts === undefined) return;
  counts[kind] -= 1;
  if (counts.firm > 0 || (kind === 'loose' && counts.loose > 0)) return;
  queueWhenFree(name, work);
}
