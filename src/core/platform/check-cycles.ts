import { findCycle } from '../graph/find-cycle.ts';
import type { Graph } from '../graph/graph.ts';
import { strongComponents } from '../graph/strong-components.ts';
import type { Problems } from './collect-problems.ts';
import { describeCycle } from './describe-cycle.ts';
import { declaredGraph, edgesOf, edgesToIgnore, needsOf } from './node-graph.ts';
import type { App, Need } from './platform.ts';

/** Reports the shortest cycle of every knot of hard needs; without one, warns about soft needs on a cycle and gives the apps without them. */
export function checkCycles(apps: ReadonlyMap<string, App>, problems: Problems): ReadonlyMap<string, App> {
  const all = declaredGraph(apps);
  const firm = edgesOf(all, (kind) => kind !== 'soft');
  const cycles = cyclesOf(firm);
  for (const cycle of cycles) {
    const { at, what, remedy } = describeCycle(cycle, firm, apps);
    problems.error(at, what, remedy);
  }
  if (cycles.length > 0) return apps;
  const ignored = edgesToIgnore(all);
  if (ignored.length === 0) return apps;
  const isIgnored = new Set(ignored.map(([from, to]) => `${from} ${to}`));
  for (const [from, to] of ignored) warn({ from, to }, apps, problems);
  return new Map([...apps].map(([name, app]) => [name, without(app, isIgnored)]));
}

function cyclesOf(firm: Graph): string[][] {
  return strongComponents(firm).flatMap((component) => {
    const members = new Set(component);
    if (component.length === 1) return [];
    const knot = new Map(
      component.map((name) => [name, new Set([...(firm.get(name) ?? [])].filter((need) => members.has(need)))]),
    );
    return [findCycle(knot) ?? []];
  });
}

function warn({ from, to }: { from: string; to: string }, apps: ReadonlyMap<string, App>, problems: Problems): void {
  const at = needsOf(from, apps).find((need) => need.node === to)?.at;
  if (at === undefined) return;
  const what = `The soft need of "${from}" on "${to}" is ignored: it closes a cycle.`;
  problems.warning(at, what, `Remove it; "${from}" cannot wait for "${to}", which itself comes after "${from}".`);
}

function without(app: App, isIgnored: ReadonlySet<string>): App {
  const kept = (from: string, needs: readonly Need[]) => needs.filter((need) => !isIgnored.has(`${from} ${need.node}`));
  const parts = new Map(
    [...app.parts].map(([name, part]) => [name, { ...part, needs: kept(`${app.name}#${name}`, part.needs) }]),
  );
  return { ...app, needs: kept(app.name, app.needs), parts };
}
