import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { criticalPath } from './critical-path.ts';
import { dependentsOf } from './dependents-of.ts';
import { edgesAgainstOrder } from './edges-against-order.ts';
import { findCycle } from './find-cycle.ts';
import type { Graph } from './graph.ts';
import { levels } from './levels.ts';
import { reachable } from './reachable.ts';
import { reversed } from './reversed.ts';
import { strongComponents } from './strong-components.ts';
import { transitiveReduction } from './transitive-reduction.ts';

describe('levels', () => {
  it('puts each name right after the last level it needs, sorted inside', () => {
    expect(levels(graphOf({ web: ['db', 'ingress'], db: [], ingress: ['dns'], dns: [], alone: [] }))).toEqual([
      ['alone', 'db', 'dns'],
      ['ingress'],
      ['web'],
    ]);
  });

  it('never puts a name before what it needs, and loses none', () => {
    fc.assert(
      fc.property(acyclic(), (graph) => {
        const level = new Map(levels(graph).flatMap((names, index) => names.map((name) => [name, index] as const)));
        expect(level.size).toBe(graph.size);
        for (const [name, needs] of graph) {
          const below = [...needs].map((need) => level.get(need) ?? -1);
          expect(level.get(name)).toBe(Math.max(-1, ...below) + 1);
        }
      }),
    );
  });

  it('refuses a cycle', () => {
    expect(() => levels(graphOf({ a: ['b'], b: ['a'] }))).toThrow('cycle');
  });
});

describe('reversed, reachable and dependentsOf', () => {
  it('reversing twice gives the same graph', () => {
    fc.assert(
      fc.property(anyGraph(), (graph) => {
        expect(reversed(reversed(graph))).toEqual(graph);
      }),
    );
  });

  it('who reaches a name depends on it, and the other way round', () => {
    fc.assert(
      fc.property(anyGraph(), (graph) => {
        for (const name of graph.keys()) {
          for (const need of reachable(graph, [name])) expect(dependentsOf(graph, [need])).toContain(name);
        }
      }),
    );
  });

  it('leaves out names that are not in the graph', () => {
    expect(reachable(graphOf({ a: [] }), ['a', 'b'])).toEqual(new Set(['a']));
  });
});

describe('findCycle', () => {
  it('gives the shortest cycle, its smallest name first', () => {
    expect(findCycle(graphOf({ z: ['y'], y: ['x'], x: ['z'], d: ['c'], c: ['d', 'z'] }))).toEqual(['c', 'd']);
    expect(findCycle(graphOf({ a: ['b'], b: ['b', 'a'] }))).toEqual(['b']);
    expect(findCycle(graphOf({ a: ['b'], b: [] }))).toBeUndefined();
  });

  it('finds one exactly when there is one, and none is shorter', () => {
    fc.assert(
      fc.property(anyGraph(), (graph) => {
        const cycle = findCycle(graph);
        expect(cycle?.length).toBe(shortestCycleLength(graph));
        cycle?.forEach((name, index) => {
          expect(graph.get(name)).toContain(cycle[(index + 1) % cycle.length]);
          expect(name >= (cycle[0] ?? '')).toBe(true);
        });
      }),
    );
  });

  it('says the same whatever order the graph was built in', () => {
    fc.assert(
      fc.property(anyGraph(), (graph) => {
        expect(findCycle(shuffled(graph))).toEqual(findCycle(graph));
      }),
    );
  });
});

describe('strongComponents', () => {
  it('puts two names together exactly when each reaches the other, needs first', () => {
    fc.assert(
      fc.property(anyGraph(), (graph) => {
        const components = strongComponents(graph);
        const place = new Map(components.flatMap((names, index) => names.map((name) => [name, index] as const)));
        expect(place.size).toBe(graph.size);
        for (const a of graph.keys()) {
          for (const b of reachable(graph, [a])) {
            expect(place.get(b) === place.get(a)).toBe(reachable(graph, [b]).has(a));
            expect((place.get(b) ?? 0) <= (place.get(a) ?? 0)).toBe(true);
          }
        }
      }),
    );
  });
});

describe('criticalPath', () => {
  it('is the chain that takes longest, and the smaller name among equals', () => {
    const seconds: Record<string, number> = { a: 1, b: 5, c: 5, d: 1 };
    const graph = graphOf({ d: ['c', 'b'], b: ['a'], c: ['a'], a: [] });
    expect(criticalPath(graph, (name) => seconds[name] ?? 0)).toEqual({ path: ['a', 'b', 'd'], length: 7 });
    expect(criticalPath(new Map(), () => 1)).toEqual({ path: [], length: 0 });
  });

  it('is a chain of needs of that length, as deep as there are levels when all take the same', () => {
    fc.assert(
      fc.property(acyclic(), (graph) => {
        const { path, length } = criticalPath(graph, () => 1);
        expect(length).toBe(path.length);
        expect(length).toBe(levels(graph).length);
        for (const [index, name] of path.slice(1).entries()) expect(graph.get(name)).toContain(path[index]);
      }),
    );
  });
});

describe('transitiveReduction', () => {
  it('keeps what is reachable and has no edge that a longer way replaces', () => {
    fc.assert(
      fc.property(acyclic(), (graph) => {
        const reduced = transitiveReduction(graph);
        for (const name of graph.keys()) expect(reachable(reduced, [name])).toEqual(reachable(graph, [name]));
        for (const needs of reduced.values()) {
          for (const need of needs) {
            const others = [...needs].filter((other) => other !== need);
            expect(reachable(reduced, others)).not.toContain(need);
          }
        }
      }),
    );
  });
});

describe('edgesAgainstOrder', () => {
  it('leaves nothing cyclic, and leaves alone what lies on no cycle', () => {
    fc.assert(
      fc.property(acyclic(), anyGraph(), (firm, any) => {
        const loose = new Map([...firm.keys()].map((name) => [name, only(any.get(name), firm, name)]));
        const all = joined(firm, loose);
        const dropped = edgesAgainstOrder(firm, loose);
        for (const [from, to] of dropped) {
          expect(loose.get(from)).toContain(to);
          expect(reachable(all, [to])).toContain(from);
          loose.get(from)?.delete(to);
        }
        expect(findCycle(joined(firm, loose))).toBeUndefined();
      }),
    );
  });

  it('drops one of two loose edges that face each other, and the one that faces a firm chain', () => {
    const nothing = graphOf({ a: [], b: [] });
    expect(edgesAgainstOrder(nothing, graphOf({ a: ['b'], b: ['a'] }))).toEqual([['a', 'b']]);
    const firm = graphOf({ c: ['b'], b: ['a'], a: [] });
    expect(edgesAgainstOrder(firm, graphOf({ a: ['c'], b: [], c: ['a'] }))).toEqual([['a', 'c']]);
  });
});

describe('size', () => {
  it('a ladder of diamonds, with 2^1,000 ways through it, is done at once', () => {
    const ladder = new Map<string, Set<string>>([['rung-0', new Set()]]);
    for (let rung = 1; rung <= 1000; rung++) {
      ladder.set(`left-${rung}`, new Set([`rung-${rung - 1}`]));
      ladder.set(`right-${rung}`, new Set([`rung-${rung - 1}`]));
      ladder.set(`rung-${rung}`, new Set([`left-${rung}`, `right-${rung}`]));
    }
    expect(levels(ladder)).toHaveLength(2001);
    expect(reachable(ladder, ['rung-1000']).size).toBe(3001);
    expect(findCycle(ladder)).toBeUndefined();
    expect(criticalPath(ladder, () => 1).length).toBe(2001);
    expect(transitiveReduction(ladder)).toEqual(ladder);
  });

  it('a chain of 5,000 and a ring of 5,000 overflow no stack', () => {
    const chain = new Map(Array.from({ length: 5000 }, (_, at) => [`n${at}`, new Set(at === 0 ? [] : [`n${at - 1}`])]));
    expect(levels(chain)).toHaveLength(5000);
    expect(criticalPath(chain, () => 2).length).toBe(10_000);
    const ring = new Map(chain).set('n0', new Set(['n4999']));
    expect(findCycle(ring)).toHaveLength(5000);
    expect(strongComponents(ring)).toHaveLength(1);
  });
});

function graphOf(needs: Record<string, string[]>): Map<string, Set<string>> {
  return new Map(Object.entries(needs).map(([name, names]) => [name, new Set(names)]));
}

function fromEdges(size: number, edges: readonly (readonly [number, number])[]): Map<string, Set<string>> {
  const graph = new Map(Array.from({ length: size }, (_, at) => [`n${at}`, new Set<string>()]));
  for (const [from, to] of edges) graph.get(`n${from % size}`)?.add(`n${to % size}`);
  return graph;
}

function anyGraph(): fc.Arbitrary<Map<string, Set<string>>> {
  const edges = fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 30 });
  return fc.tuple(fc.integer({ min: 1, max: 14 }), edges).map(([size, list]) => fromEdges(size, list));
}

function acyclic(): fc.Arbitrary<Map<string, Set<string>>> {
  return anyGraph().map((graph) => {
    const order = [...graph.keys()];
    return new Map(
      order.map((name, at) => [name, new Set([...(graph.get(name) ?? [])].filter((to) => order.indexOf(to) < at))]),
    );
  });
}

function shuffled(graph: Graph): Graph {
  return new Map([...graph].reverse().map(([name, needs]) => [name, new Set([...needs].reverse())]));
}

function only(needs: ReadonlySet<string> | undefined, firm: Graph, name: string): Set<string> {
  return new Set([...(needs ?? [])].filter((need) => firm.has(need) && !firm.get(name)?.has(need)));
}

function joined(a: Graph, b: Graph): Graph {
  return new Map([...a].map(([name, needs]) => [name, new Set([...needs, ...(b.get(name) ?? [])])]));
}

/** By trying: the fewest steps after which a name reaches itself. */
function shortestCycleLength(graph: Graph): number | undefined {
  let reached = new Map([...graph].map(([name, needs]) => [name, new Set(needs)]));
  for (let length = 1; length <= graph.size; length++) {
    if ([...reached].some(([name, names]) => names.has(name))) return length;
    reached = new Map(
      [...reached].map(([name, names]) => [name, new Set([...names].flatMap((each) => [...(graph.get(each) ?? [])]))]),
    );
  }
  return undefined;
}
