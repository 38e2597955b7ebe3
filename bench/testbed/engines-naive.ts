import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { nodeGraph } from '../../src/core/platform/node-graph.ts';
import { readWorld } from '../../testbed/world/read-world.ts';
import type { Bed } from './bed.ts';
import type { ExecutorRun } from './run-executor.ts';

const argo = '/apis/argoproj.io/v1alpha1/namespaces/argo';
const applications = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications';
/** What Argo's own agent and everybody's shell loop wait between two looks. */
const pollMs = 10_000;

interface Application {
  readonly operation?: object;
  readonly status?: {
    readonly sync?: { readonly status?: string };
    readonly health?: { readonly status?: string };
    readonly operationState?: { readonly phase?: string };
  };
}

/** What one would write first: a DAG with a task for each app, which asks for a sync and looks every ten seconds whether it is Healthy. */
export async function runNaive({ client }: Bed, folder: string): Promise<ExecutorRun> {
  const { platform } = await readWorld(folder, {}, 'unused');
  const startedAt = Date.now();
  const usage = process.cpuUsage();
  let requests = 1;
  await client.create(`${argo}/workflows`, workflowOf(nodeGraph(platform).graph));
  const path = `${argo}/workflowtasksets/naive`;
  const begun = new Set<string>();

  async function bringUp(id: string, app: string): Promise<void> {
    await client.mergePatch(`${applications}/${app}`, { operation: { sync: {} }, status: { operationState: null } });
    requests++;
    for (let isGood = false; !isGood; requests++) {
      await systemClock.sleep(pollMs);
      isGood = isUp(await client.get<Application>(`${applications}/${app}`));
    }
    await client.mergePatch(`${path}/status`, { status: { nodes: { [id]: { phase: 'Succeeded' } } } });
    requests++;
  }

  for (;;) {
    const workflow = await client.get<{ status?: { phase?: string } }>(`${argo}/workflows/naive`);
    if (workflow?.status?.phase === 'Succeeded') break;
    const set = await client.get<TaskSet>(path);
    for (const [id, { plugin }] of Object.entries(set?.spec?.tasks ?? {})) {
      if (begun.has(id)) continue;
      begun.add(id);
      void bringUp(id, plugin.naive.app);
    }
    await systemClock.sleep(500);
  }
  const { user, system } = process.cpuUsage(usage);
  return { startedAt, endedAt: Date.now(), cpuMs: (user + system) / 1000, requests, peakMegabytes: 0, events: [] };
}

interface TaskSet {
  readonly spec?: { readonly tasks?: Readonly<Record<string, { plugin: { naive: { app: string } } }>> };
}

function workflowOf(graph: ReadonlyMap<string, ReadonlySet<string>>): object {
  const tasks = [...graph].map(([app, needs]) => ({
    name: app,
    template: 'sync-and-poll',
    arguments: { parameters: [{ name: 'app', value: app }] },
    ...(needs.size === 0 ? {} : { dependencies: [...needs] }),
  }));
  const step = {
    name: 'sync-and-poll',
    inputs: { parameters: [{ name: 'app' }] },
    plugin: { naive: { app: '{{inputs.parameters.app}}' } },
  };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'naive', namespace: 'argo' },
    spec: { entrypoint: 'plan', templates: [{ name: 'plan', dag: { tasks } }, step] },
  };
}

function isUp(seen: Application | undefined): boolean {
  const { sync, health, operationState } = seen?.status ?? {};
  const isDone = seen?.operation === undefined && operationState?.phase === 'Succeeded';
  return isDone && sync?.status === 'Synced' && health?.status === 'Healthy';
}
