import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { criticalPath } from '../src/core/graph/critical-path.ts';
import { partResources } from '../src/core/plan/plan-deploy.ts';
import { nodeGraph } from '../src/core/platform/node-graph.ts';
import { appOf, partOf } from '../src/core/platform/node-name.ts';
import type { Part, Platform } from '../src/core/platform/platform.ts';
import type { RunEvent } from '../src/core/run/events.ts';
import type { Sandbox } from '../src/sandbox/sandbox.ts';
import { readScenario } from '../src/sandbox/world/read-scenario.ts';
import { isReady } from '../src/sandbox/world/readiness.ts';
import { type Bench, bench, deployOn, platformFrom } from '../test/harness.ts';
import { type Benchmark, type Figure, judged, seconds } from './figure.ts';

/** How often the truth is looked at, in cluster time: what a figure may be wrong by. */
const tickMs = 20;

/**
 * Makespan ÷ critical path in virtual time. The critical path is the longest one over what each node really took: from the
 * patch of its operation until the sandbox's own truth calls it healthy. All that comes on top is ours.
 */
export const overhead: Benchmark = async ({ root }) => {
  const folder = join(root, 'platforms/reference');
  const platform = platformFrom(folder);
  const file = { file: 'scenario.yaml', text: readFileSync(join(folder, 'scenario.yaml'), 'utf8') };
  const { scenario } = readScenario(file, platform);
  if (scenario === undefined) throw new Error('the scenario of the reference platform is broken');
  const on = bench(platform, { scenario });
  const watch = watchTruth(on);
  const { run, events } = await deployOn(on);
  watch.stop();
  on.close();
  if (run.exitCode !== 0) throw new Error(`the deployment ended with ${run.exitCode}`);

  const { graph } = nodeGraph(platform);
  const own = ownSeconds(on.sandbox, platform, watch.trueSince);
  const path = criticalPath(graph, (node) => own.get(node) ?? 0);
  const stable = new Map([...run.nodes].map(([node, { evidence }]) => [node, evidence?.stableSeconds ?? 0]));
  const withWindows = criticalPath(graph, (node) => (own.get(node) ?? 0) + (stable.get(node) ?? 0));
  const makespan = (time(events.at(-1)) - time(events[0])) / 1000;
  const waited = path.path.reduce((sum, node) => sum + (stable.get(node) ?? 0), 0);
  const ratio = (value: number): string => value.toFixed(4);
  const told: Figure = {
    what: `… of which ${path.path.length} nodes on the path (${path.path.join(' → ')})`,
    value: `${seconds(makespan)} ÷ ${seconds(path.length)}`,
  };
  return [
    judged('reference: makespan ÷ critical path, virtual time', makespan / path.length, ['≤', 1.01], ratio),
    told,
    { what: '… with the gates’ stability windows counted to the path', value: ratio(makespan / withWindows.length) },
    { what: '… stability windows on that path', value: seconds(waited) },
  ];
};

function time(event: RunEvent | undefined): number {
  return Date.parse(event?.at ?? '');
}

/** Application or part → when all of it was really ready for the first time. */
function watchTruth({ platform, sandbox, time: clock }: Bench): {
  trueSince: ReadonlyMap<string, number>;
  stop: () => void;
} {
  const trueSince = new Map<string, number>();
  const open = new Set(nodeGraph(platform).graph.keys());
  let cancel: () => void = () => undefined;
  const tick = (): void => {
    for (const node of open) {
      if (!isTrue(sandbox, platform, node)) continue;
      trueSince.set(node, clock.now());
      open.delete(node);
    }
    cancel = clock.after(tickMs, tick);
  };
  tick();
  return { trueSince, stop: () => cancel() };
}

function isTrue(sandbox: Sandbox, platform: Platform, node: string): boolean {
  const app = platform.apps.get(appOf(node));
  const part = partOf(node);
  if (app === undefined) throw new Error(`${node} is not part of the platform`);
  if (part === undefined) return sandbox.truth(app.application).healthy;
  const content = sandbox.world.git.read(`apps/${app.name}`, sandbox.world.git.head);
  if ('error' in content) return false;
  const references = content.objects.map(({ apiVersion, kind, metadata }) => ({
    group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '',
    version: apiVersion.split('/').at(-1) ?? '',
    kind,
    namespace: undefined,
    name: metadata.name,
    sync: undefined,
    hook: false,
    prune: false,
  }));
  return partResources(app.parts.get(part) as Part, references).every(({ group, version, kind, name }) => {
    const type = sandbox.types.byKind(group === '' ? version : `${group}/${version}`, kind);
    const live = type === undefined ? undefined : sandbox.store.get(type, undefined, name);
    return live !== undefined && isReady(live);
  });
}

/** Node → seconds from the request that started its operation to its truth. */
function ownSeconds(
  sandbox: Sandbox,
  platform: Platform,
  trueSince: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { at, body } of sandbox.requests) {
    const step = stepOf(body);
    const node = step?.slice(0, step.lastIndexOf('/'));
    if (node === undefined || found.has(node) || !platform.apps.has(appOf(node))) continue;
    const since = trueSince.get(node);
    if (since === undefined) throw new Error(`${node} never became really healthy`);
    found.set(node, Math.max(0, since - at) / 1000);
  }
  return found;
}

/** The id we put into an operation: `<node>/<random>`. */
export function stepOf(body: unknown): string | undefined {
  const { operation } = (body ?? {}) as { operation?: { info?: { name: string; value: string }[] } | null };
  return operation?.info?.find(({ name }) => name === 'tiphys.dev/step')?.value;
}
