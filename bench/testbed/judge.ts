import { criticalPath } from '../../src/core/graph/critical-path.ts';
import type { Graph } from '../../src/core/graph/graph.ts';
import { nodeGraph } from '../../src/core/platform/node-graph.ts';
import { appOf } from '../../src/core/platform/node-name.ts';
import type { App, Platform } from '../../src/core/platform/platform.ts';
import { type ApplicationRecord, applicationRecords } from '../../testbed/audit/application-records.ts';
import { brokenEdges } from '../../testbed/audit/broken-edges.ts';
import type { AuditEntry } from '../../testbed/audit/read-audit.ts';
import { type Ask, asksIn } from './asks.ts';

/** What the API server's log says about a run, in milliseconds. */
export interface Judgement {
  /** Until every Application was recorded as Synced and Healthy. */
  readonly makespanMs: number;
  /**
   * Node by node: from the last need that was recorded as Healthy, stability window and all, to the first request made for it;
   * where a parent that is busy has to create it, from when the parent was free.
   */
  readonly hopsMs: readonly number[];
  /** The same to its own operation: with what it takes to make its Application appear, and with waiting for a busy parent. */
  readonly toOperationMs: readonly number[];
  readonly broken: readonly string[];
  /**
   * The longest chain of needs over what each app itself took until Healthy: from the first request made for it, or from when its needs
   * were ready where that was later, so that no moment counts twice.
   */
  readonly criticalMs: number;
  /** The same with the stability windows between them; the window of the last one is beyond the makespan. */
  readonly criticalWithWindowsMs: number;
  /** Along the chain that ended last: where the time went. */
  readonly where: Where;
}

export interface Where {
  /** Until the first request for the first app of that chain. */
  readonly start: number;
  /** From a need that was Healthy to the request for its dependent, without the windows. */
  readonly hops: number;
  readonly windows: number;
  /** Making Applications appear: the operations of their parents, and waiting until a parent was free. */
  readonly creation: number;
  /** From the request to Succeeded. */
  readonly operations: number;
  /** From Succeeded until recorded as Healthy. */
  readonly health: number;
}

export interface JudgeOrder {
  readonly platform: Platform;
  readonly entries: readonly AuditEntry[];
  readonly startedAt: number;
  /** Node → how long its Healthy had to last before it counted. */
  readonly windowMs: ReadonlyMap<string, number>;
  /** App → since when it said itself that it is ready, where that was asked. */
  readonly saidReadyAt: ReadonlyMap<string, number>;
}

/** Judges a run by the API server's log, and by what an app itself said where it was asked. */
export function judge({ platform, entries, startedAt, windowMs, saidReadyAt }: JudgeOrder): Judgement {
  const { graph } = nodeGraph(platform);
  const records = byApplication(applicationRecords(entries));
  const asks = asksIn(entries);
  const times = new Map(
    [...graph.keys()].map((node) => [node, timesOf(node, { platform, graph, asks, records, saidReadyAt })]),
  );
  const windows = (node: string): number => windowMs.get(node) ?? 0;
  const took = (node: string): number => {
    const { firstAsked, good } = of(times, node);
    const needsReady = [...(graph.get(node) ?? [])].map((need) => of(times, need).good + windows(need));
    return Math.max(0, good - Math.max(firstAsked, ...needsReady));
  };
  const hops = hopsIn(graph, { times, windows });
  const needed = new Set([...graph.values()].flatMap((needs) => [...needs]));
  const broken = brokenEdges(platform, entries).map(({ node, need, because }) => `${need} → ${node}: ${because}`);
  return {
    makespanMs: allGoodAt(platform, records) - startedAt,
    hopsMs: hops.map(({ ready, firstAsked, parentFree }) => firstAsked - Math.max(ready, parentFree)),
    toOperationMs: hops.map(({ ready, asked }) => asked - ready),
    broken: [...new Set(broken)],
    criticalMs: criticalPath(graph, took).length,
    criticalWithWindowsMs: criticalPath(graph, (node) => took(node) + (needed.has(node) ? windows(node) : 0)).length,
    where: whereOf(graph, { times, windows, startedAt }),
  };
}

interface NodeTimes {
  /** Of it or of its parent, to create it. */
  readonly firstAsked: number;
  readonly asked: number;
  readonly succeeded: number;
  readonly good: number;
  /** When the parent that had to create it had finished what it was at before: it takes one operation at a time. */
  readonly parentFree: number;
  /** Each time its record turned good. */
  readonly turns: readonly number[];
}

interface Known {
  readonly platform: Platform;
  readonly graph: Graph;
  readonly asks: readonly Ask[];
  readonly records: ReadonlyMap<string, readonly ApplicationRecord[]>;
  readonly saidReadyAt: JudgeOrder['saidReadyAt'];
}

function timesOf(node: string, known: Known): NodeTimes {
  const { application } = known.platform.apps.get(appOf(node)) as App;
  const isPart = node.includes('#');
  const ask = known.asks.find((one) => one.application === application && (one.names !== undefined) === isPart);
  if (ask === undefined) throw new Error(`nobody asked for a sync of ${node}`);
  const later = (known.records.get(application) ?? []).filter(({ revision }) => revision > ask.revision);
  const succeeded = later.find(({ operation }) => operation?.phase === 'Succeeded');
  const good = isPart ? succeeded : later.find(isGood);
  if (succeeded === undefined || good === undefined) throw new Error(`${node} never became Synced and Healthy`);
  const creation = known.asks.find((one) => isParent(known.platform, one) && one.names?.has(application));
  // An Application that was created for one of its parts is there already when its own turn comes.
  const wasThere = [...(known.graph.get(node) ?? [])].some((need) => need.startsWith(`${node}#`));
  const firstAsked = creation === undefined || wasThere ? ask.at : Math.min(creation.at, ask.at);
  const turns = later.filter((one, index) => isGood(one) && !isGood(later[index - 1] ?? nothing)).map(({ at }) => at);
  return {
    firstAsked,
    asked: ask.at,
    succeeded: succeeded.at,
    good: Math.max(good.at, succeeded.at, known.saidReadyAt.get(node) ?? 0),
    parentFree: creation === undefined || wasThere ? 0 : freeBefore(creation, known),
    turns: isPart ? [] : turns,
  };
}

/** Of the platform's own; others sync a child by name, too, when they heal it. */
function isParent({ root, stacks }: Platform, { application }: Ask): boolean {
  return application === root || [...stacks.values()].some((stack) => stack.application === application);
}

function freeBefore({ application, revision }: Ask, { records }: Known): number {
  const before = (records.get(application) ?? []).filter((one) => one.revision < revision);
  // The first record of the end of its last operation.
  const running = before.findLastIndex(({ operation }) => operation !== undefined && operation.phase !== 'Succeeded');
  return before.slice(running + 1).find(({ operation }) => operation?.phase === 'Succeeded')?.at ?? 0;
}

const nothing = { sync: '', health: '' };

interface Walk {
  readonly times: ReadonlyMap<string, NodeTimes>;
  readonly windows: (node: string) => number;
}

/** Every node that needs something, with the moment at which the last of it was ready. */
function hopsIn(graph: Graph, { times, windows }: Walk): (NodeTimes & { readonly ready: number })[] {
  return [...graph].flatMap(([node, needs]) => {
    if (needs.size === 0) return [];
    const own = of(times, node);
    // What was Healthy, turned, and was mended in time counts from when it was mended.
    const since = ({ good, turns }: NodeTimes): number => Math.max(good, ...turns.filter((at) => at <= own.firstAsked));
    return [{ ...own, ready: Math.max(...[...needs].map((need) => since(of(times, need)) + windows(need))) }];
  });
}

/** Back from what ended last, each time to the need that was ready last. */
function whereOf(graph: Graph, { times, windows, startedAt }: Walk & { readonly startedAt: number }): Where {
  const ready = (node: string): number => of(times, node).good + windows(node);
  const latest = (nodes: Iterable<string>): string | undefined => [...nodes].sort((a, b) => ready(b) - ready(a))[0];
  const where = { start: 0, hops: 0, windows: 0, creation: 0, operations: 0, health: 0 };
  const end = [...times.keys()].sort((a, b) => of(times, b).good - of(times, a).good)[0];
  for (let node = end; node !== undefined; ) {
    const { firstAsked, asked, succeeded, good, parentFree } = of(times, node);
    const before: string | undefined = latest(graph.get(node) ?? []);
    const mayStart = before === undefined ? firstAsked : Math.max(parentFree, ready(before));
    where.creation += asked - firstAsked;
    where.operations += succeeded - asked;
    where.health += good - succeeded;
    if (before === undefined) where.start += firstAsked - startedAt;
    else {
      where.hops += firstAsked - mayStart;
      where.creation += mayStart - ready(before);
      where.windows += windows(before);
    }
    node = before;
  }
  return where;
}

/** The first moment at which every app of the platform was good at once. */
function allGoodAt(platform: Platform, records: Known['records']): number {
  const names = new Set([...platform.apps.values()].map(({ application }) => application));
  const all = [...names].flatMap((name) => records.get(name) ?? []).sort((a, b) => a.revision - b.revision);
  const good = new Set<string>();
  for (const record of all) {
    if (isGood(record)) good.add(record.application);
    else good.delete(record.application);
    if (good.size === names.size) return record.at;
  }
  throw new Error('not every Application became Synced and Healthy');
}

function byApplication(records: readonly ApplicationRecord[]): Map<string, ApplicationRecord[]> {
  const found = new Map<string, ApplicationRecord[]>();
  for (const record of records) found.set(record.application, [...(found.get(record.application) ?? []), record]);
  return found;
}

function isGood({ sync, health }: Pick<ApplicationRecord, 'sync' | 'health'>): boolean {
  return sync === 'Synced' && health === 'Healthy';
}

function of(times: ReadonlyMap<string, NodeTimes>, node: string): NodeTimes {
  const found = times.get(node);
  if (found === undefined) throw new Error(`nothing is known of ${node}`);
  return found;
}
