import type { Graph } from './graph.ts';
import { levels } from './levels.ts';

export interface CriticalPath {
  /** From what starts first to what ends last. */
  readonly path: string[];
  readonly length: number;
}

/** The chain of needs that takes longest; among equals the one with the smaller names, read from its end. */
export function criticalPath(graph: Graph, duration: (name: string) => number): CriticalPath {
  const finish = new Map<string, number>();
  const slowestNeed = new Map<string, string>();
  for (const name of levels(graph).flat()) {
    const slowest = latest(graph.get(name) ?? [], finish);
    if (slowest !== undefined) slowestNeed.set(name, slowest);
    finish.set(name, duration(name) + (slowest === undefined ? 0 : (finish.get(slowest) ?? 0)));
  }
  const path: string[] = [];
  const last = latest(graph.keys(), finish);
  for (let name = last; name !== undefined; name = slowestNeed.get(name)) path.push(name);
  return { path: path.reverse(), length: last === undefined ? 0 : (finish.get(last) ?? 0) };
}

function latest(names: Iterable<string>, finish: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined;
  let bestFinish = -Infinity;
  for (const name of names) {
    const time = finish.get(name) ?? 0;
    if (time > bestFinish || (time === bestFinish && best !== undefined && name < best)) {
      best = name;
      bestFinish = time;
    }
  }
  return best;
}
