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
  /** The three slowest of these, slowest first: where to look when they are too slow. */
  readonly slowest: readonly Hop[];
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
  /** And with root and stack, which whatever is created through them needs first. */
  readonly criticalWithParentsMs: number;
  /** Along the chain that ended last: where the time went. */
  readonly where: Where;
}

export interface Hop {
  /** The need that was ready last. */
  readonly need: string;
  readonly node: string;
  readonly ms: number;
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
  const known = { platform, graph, asks, records, saidReadyAt };
  const whole = [...graph.keys()].map((node) => [node, timesOf(node, known)] as const);
  const endedAt = allGoodAt(platform, records);
  const times = new Map(whole.map(([node, all]) => [node, cutAt(endedAt, all)]));
  const windows = (node: string): number => windowMs.get(node) ?? 0;
  const turns = new Map([...graph.keys()].map((node) => [node, turnOf(node, graph, { times, windows })]));
  const took = (node: string): number => {
    const { firstAsked, ready, good } = of(turns, node);
    return Math.max(0, good - Math.max(firstAsked, ready));
  };
  const turned = [...turns].filter(([, { ready }]) => ready > never);
  const hops = turned.map(([node, { last, mayStart, firstAsked }]) => ({
    need: last,
    node,
    ms: firstAsked - mayStart,
  }));
  const needed = new Set([...graph.values()].flatMap((needs) => [...needs]));
  const withWindow = (node: string): number => took(node) + (needed.has(node) ? windows(node) : 0);
  const parents = (node: string): number => (isFirst(graph, node) ? parentsMs(node, { platform, asks, records }) : 0);
  const broken = brokenEdges(platform, entries).map(({ node, need, because }) => `${need} → ${node}: ${because}`);
  return {
    makespanMs: endedAt - startedAt,
    hopsMs: hops.map(({ ms }) => ms),
    slowest: [...hops].sort((a, b) => b.ms - a.ms).slice(0, 3),
    toOperationMs: turned.map(([, { ready, asked }]) => asked - ready),
    broken: [...new Set(broken)],
    criticalMs: criticalPath(graph, took).length,
    criticalWithWindowsMs: criticalPath(graph, withWindow).length,
    criticalWithParentsMs: criticalPath(graph, (node) => withWindow(node) + parents(node)).length,
    where: whereOf(graph, { turns, windows, startedAt }),
  };
}

function isFirst(graph: Graph, node: string): boolean {
  return (graph.get(node) ?? new Set()).size === 0;
}

/** From the first request for a parent until the stack of this one was there. */
function parentsMs(node: string, { platform, asks, records }: Pick<Known, 'platform' | 'asks' | 'records'>): number {
  const { stack } = platform.apps.get(appOf(node)) as App;
  const appeared = records.get(platform.stacks.get(stack)?.application ?? '')?.[0]?.at;
  const began = asks.find((ask) => isParent(platform, ask))?.at;
  return appeared === undefined || began === undefined ? 0 : Math.max(0, appeared - began);
}

interface NodeTimes {
  /** The operation of its parent that created it; undefined when it was there. */
  readonly creation: Creation | undefined;
  readonly asked: number;
  readonly succeeded: number;
  readonly good: number;
  /** Each time its record turned good. */
  readonly turns: readonly number[];
}

interface Creation {
  /** When the parent had finished what it was at before: it takes one operation at a time. */
  readonly parentFree: number;
  readonly asked: number;
  readonly done: number;
}

/** A node and the moment from which it may start. */
interface Turn extends NodeTimes {
  /** The need that was ready last; empty for one that needs nothing. */
  readonly last: string;
  /** When it was; `never` for one that needs nothing. */
  readonly ready: number;
  /** When nothing but the executor stood between them and the first request: the parent was free, or had made it. */
  readonly mayStart: number;
  /** The first request made for it on its turn: of it, or of its parent, to create it. */
  readonly firstAsked: number;
}

const never = Number.NEGATIVE_INFINITY;

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
  const turns = later.filter((one, index) => isGood(one) && !isGood(later[index - 1] ?? nothing)).map(({ at }) => at);
  return {
    creation: creation === undefined || wasThere ? undefined : creationOf(creation, known),
    asked: ask.at,
    succeeded: succeeded.at,
    good: Math.max(good.at, succeeded.at, known.saidReadyAt.get(node) ?? 0),
    turns: isPart ? [] : turns,
  };
}

/** The operation of what nobody needs may wait for its hooks when all are good already. */
function cutAt(end: number, times: NodeTimes): NodeTimes {
  return { ...times, succeeded: Math.min(times.succeeded, end), good: Math.min(times.good, end) };
}

/** Of the platform's own; others sync a child by name, too, when they heal it. */
function isParent({ root, stacks }: Platform, { application }: Ask): boolean {
  return application === root || [...stacks.values()].some((stack) => stack.application === application);
}

function creationOf({ application, revision, at }: Ask, { records }: Known): Creation {
  const all = records.get(application) ?? [];
  const before = all.filter((one) => one.revision < revision);
  const isDone = ({ operation }: ApplicationRecord): boolean => operation?.phase === 'Succeeded';
  const running = before.findLastIndex((one) => one.operation !== undefined && !isDone(one));
  return {
    // The first record of the end of its last operation.
    parentFree: before.slice(running + 1).find(isDone)?.at ?? never,
    asked: at,
    done: all.find((one) => one.revision > revision && isDone(one))?.at ?? at,
  };
}

const nothing = { sync: '', health: '' };

interface Walk {
  readonly times: ReadonlyMap<string, NodeTimes>;
  readonly windows: (node: string) => number;
}

function turnOf(node: string, graph: Graph, { times, windows }: Walk): Turn {
  const own = of(times, node);
  // What was Healthy, turned, and was mended in time counts from when it was mended.
  const since = ({ good, turns }: NodeTimes): number => Math.max(good, ...turns.filter((at) => at <= own.asked));
  const [last, ready] = [...(graph.get(node) ?? [])]
    .map((need): [string, number] => [need, since(of(times, need)) + windows(need)])
    .reduce((latest, one) => (one[1] > latest[1] ? one : latest), ['', never]);
  const { parentFree, asked, done } = own.creation ?? { parentFree: never, asked: never, done: never };
  // What was asked for before its turn has only to be there by then.
  return asked >= ready && own.creation !== undefined
    ? { ...own, last, ready, mayStart: Math.max(ready, parentFree), firstAsked: asked }
    : { ...own, last, ready, mayStart: Math.max(ready, done), firstAsked: own.asked };
}

interface WayBack extends Pick<Walk, 'windows'> {
  readonly turns: ReadonlyMap<string, Turn>;
  readonly startedAt: number;
}

/** Back from what ended last, each time to the need that was ready last. */
function whereOf(graph: Graph, { turns, windows, startedAt }: WayBack): Where {
  const ready = (node: string): number => of(turns, node).good + windows(node);
  const latest = (nodes: Iterable<string>): string | undefined => [...nodes].sort((a, b) => ready(b) - ready(a))[0];
  const where = { start: 0, hops: 0, windows: 0, creation: 0, operations: 0, health: 0 };
  const end = [...turns.keys()].sort((a, b) => of(turns, b).good - of(turns, a).good)[0];
  for (let node = end; node !== undefined; ) {
    const { firstAsked, mayStart, asked, succeeded, good } = of(turns, node);
    const before: string | undefined = latest(graph.get(node) ?? []);
    where.creation += asked - firstAsked;
    where.operations += succeeded - asked;
    where.health += good - succeeded;
    if (before === undefined) where.start += firstAsked - startedAt;
    else {
      where.hops += firstAsked - mayStart;
      where.creation += Math.max(0, mayStart - ready(before));
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

function of<T>(all: ReadonlyMap<string, T>, node: string): T {
  const found = all.get(node);
  if (found === undefined) throw new Error(`nothing is known of ${node}`);
  return found;
}
