import { createTop } from '../../testbed/world/create-top.ts';
import { ownWords } from '../../testbed/world/own-words.ts';
import { type Published, publish } from '../../testbed/world/publish.ts';
import type { Bed } from './bed.ts';
import type { Case, Method } from './cases.ts';
import { type Judgement, judge } from './judge.ts';
import { removeFolder } from './platforms.ts';
import { startRollingSync, startWaves, withoutParts } from './rivals.ts';
import { type ExecutorRun, runFloor, runTiphys } from './run-executor.ts';
import { stabilityWindows } from './stability-windows.ts';

/** One run of one method on one case. */
export interface Measurement extends Judgement {
  readonly case: string;
  readonly method: Method;
  readonly apps: number;
  /** Of what runs beside Argo CD; Argo CD's own means have no such thing. */
  readonly executor: Executor | undefined;
  readonly apiCpuMs: number;
  readonly controllerCpuMs: number;
}

export interface Executor {
  readonly cpuMs: number;
  readonly requests: number;
  readonly peakMegabytes: number;
  /** From the start of the process to its end. */
  readonly wallMs: number;
}

export interface MeasureOrder {
  readonly bench: Case;
  readonly method: Method;
  readonly prefix: string;
  readonly built: string;
  /** Instead of the command as it stands. */
  readonly run?: typeof runTiphys;
}

/** Brings a platform up by one method, and judges by the API server's log what has happened. */
export async function measureOnce(
  bed: Bed,
  { bench, method, prefix, built, run: own }: MeasureOrder,
): Promise<Measurement> {
  const folder = bench.folder(prefix);
  const published = await publish(bed.state, folder, { speed: bench.pace });
  await warmUp(bed, published);
  const isOurs = method === 'floor' || method === 'tiphys';
  if (!bench.needsEmptyCluster) await createNamespaces(bed, published);
  await createTop(bed.client, isOurs ? published : { ...published, top: [] });
  if (isOurs) await bed.compared(published.top.slice(1).map(({ metadata }) => metadata.name));
  const platform = isOurs ? published.platform : withoutParts(published.platform);
  const start = await prepare(bed, { method, published, platform, folder, built, ...(own && { run: own }) });
  const before = bed.cpuMs();
  const { startedAt, run } = await start();
  const after = bed.cpuMs();
  removeFolder(folder);
  const entries = await bed.audit(startedAt);
  // Nobody but Tiphys asks an app itself.
  const saidReadyAt = method === 'tiphys' ? await ownWords(bed.client) : new Map<string, number>();
  const judgement = judge({ platform, entries, startedAt, windowMs: stabilityWindows(run?.events ?? []), saidReadyAt });
  return {
    case: bench.name,
    method,
    apps: published.platform.apps.size,
    ...judgement,
    executor: run && executorOf(run),
    apiCpuMs: after.api - before.api,
    controllerCpuMs: after.controller - before.controller,
  };
}

export function executorOf({ cpuMs, requests, peakMegabytes, startedAt, endedAt }: ExecutorRun): Executor {
  return { cpuMs, requests, peakMegabytes, wallMs: endedAt - startedAt };
}

interface Prepared {
  readonly method: Method;
  readonly published: Published;
  readonly platform: Published['platform'];
  readonly folder: string;
  readonly built: string;
  readonly run?: typeof runTiphys;
}

type Start = () => Promise<{ startedAt: number; run: ExecutorRun | undefined }>;

async function prepare(
  bed: Bed,
  { method, published, platform, folder, built, run: own = runTiphys }: Prepared,
): Promise<Start> {
  const { state } = bed;
  if (method === 'floor' || method === 'tiphys') {
    return async () => {
      const run = await (method === 'floor' ? runFloor : own)({ state, folder, built });
      return { startedAt: run.startedAt, run };
    };
  }
  const begin =
    method === 'waves' ? await startWaves(bed, published, platform) : () => startRollingSync(bed, published, platform);
  return async () => {
    const startedAt = Date.now();
    await begin();
    await bed.allGood([...platform.apps.values()].map(({ application }) => application));
    return { startedAt, run: undefined };
  };
}

/** The first comparison after a start fills Argo CD's view of the cluster, which is nobody's fault. */
async function warmUp(bed: Bed, { url, platform }: Published): Promise<void> {
  const path = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications';
  const source = { repoURL: url, path: `apps/${[...platform.apps.keys()][0]}`, targetRevision: 'main' };
  await bed.client.create(path, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'warm-up', namespace: 'argocd' },
    spec: {
      project: 'default',
      source,
      destination: { server: 'https://kubernetes.default.svc', namespace: 'argocd' },
    },
  });
  await bed.compared(['warm-up']);
  await bed.client.delete(`${path}/warm-up`);
}

/** Argo CD creates a namespace in a step of its own and waits for it, which would hide everything else in the small cases. */
async function createNamespaces({ client }: Bed, { platform }: Published): Promise<void> {
  for (const name of platform.apps.keys()) {
    await client.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
}
