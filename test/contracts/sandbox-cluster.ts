import { connectWorld } from '../../src/adapters/argocd/connect-world.ts';
import { seededIds } from '../../src/adapters/clock/seeded-ids.ts';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { virtualTime } from '../../src/sandbox/time.ts';
import type { PathContent } from '../../src/sandbox/world/git.ts';
import type { WorkloadScript } from '../../src/sandbox/world/workload-script.ts';
import { runHealthScript } from '../lua/run-lua.ts';
import { type ContractCluster, type GitContent, waitingOn } from './cluster.ts';
import { furnish } from './furnish.ts';
import { installHealthChecks } from './health-checks.ts';

/** Runs the case on an embedded cluster of its own, in virtual time. */
export async function onSandbox(
  run: (cluster: ContractCluster) => Promise<void>,
  options: Partial<SandboxOptions> = {},
): Promise<void> {
  const time = virtualTime();
  const sandbox = createSandbox({
    content: () => undefined,
    script: promptWorkloads,
    runHealthScript: (script, object) => runHealthScript(script, object).status,
    ...options,
    timing: { overlooks: () => false, ...options.timing },
    time,
  });
  const ids = seededIds(1);
  const ending = new AbortController();
  const world = connectWorld({
    transport: sandbox.handle,
    clock: time,
    platform: 'contract',
    argocdNamespace: 'argocd',
    elsewhere: ['team-c1/app-c1'],
    newId: ids.next,
    random: ids.random,
    signal: ending.signal,
  });
  const cluster: ContractCluster = {
    name: 'sandbox',
    client: world.client,
    clock: time,
    world,
    git: {
      url: 'https://git.example.com/contract.git',
      commit: async (paths) => {
        const content = Object.entries(paths).map(([path, held]) => [path, contentOf(held)] as const);
        return sandbox.world.git.commit(new Map(content));
      },
    },
    charts: {
      async publish({ name, version, renders }) {
        sandbox.world.git.commit(new Map([[`${name}-${version}`, renders]]));
        return 'https://charts.example.com';
      },
    },
    named: (name) => `${name}-c1`,
    namespace: 'ns-c1',
    project: 'project-c1',
    forgottenVersion() {
      const version = String(sandbox.store.revision - 1);
      sandbox.store.compact(sandbox.store.revision);
      return version;
    },
    signal: ending.signal,
    ...waitingOn(time, { pollMs: 20, patienceMs: 20_000 }),
  };
  try {
    await time.run(playOn(cluster, run));
  } finally {
    ending.abort(new Error('the case is over'));
    sandbox.stop();
  }
}

async function playOn(cluster: ContractCluster, run: (cluster: ContractCluster) => Promise<void>): Promise<void> {
  await installHealthChecks(cluster.client);
  await furnish(cluster);
  await run(cluster);
}

function contentOf(held: GitContent): PathContent {
  return 'renders' in held ? held.renders : held;
}

/** Pods start at once, unless they want a node that is not there; what operators would do, the case does itself. */
function promptWorkloads(_application: string, object: KubeObject): WorkloadScript {
  const spec = object['spec'] as { template?: { spec?: { nodeSelector?: unknown } } } | undefined;
  const isBuiltIn = !object.apiVersion.split('/')[0]?.includes('.') || object.apiVersion.includes('.k8s.io/');
  const isReady = isBuiltIn && spec?.template?.spec?.nodeSelector === undefined;
  return { states: isReady ? [{ atMs: 70, state: 'ready' }] : [], deleteMs: 90, finalizers: [] };
}
