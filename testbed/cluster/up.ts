import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { findAssets } from '../binaries/find-assets.ts';
import { findBinaries } from '../binaries/find-binaries.ts';
import { findTool } from '../binaries/find-tool.ts';
import type { Assets } from '../testbed.ts';
import { admissionWebhook } from '../world/admission.ts';
import { egressConfig } from '../world/egress.ts';
import { stagesFor } from '../world/stages.ts';
import { argo, argocdFolders } from './argo.ts';
import { auditPolicy } from './audit-policy.ts';
import { baseObjects, defaultProject, stepTemplates } from './base-objects.ts';
import type { Component, Site } from './component.ts';
import { controlPlane } from './control-plane.ts';
import { environmentOf, knownOrNew } from './known-or-new.ts';
import { kubeconfigOf, writeKubeconfigs } from './kubeconfigs.ts';
import { apply, createKubectl, type Kubectl } from './kubectl.ts';
import { lockName } from './lock-name.ts';
import { makePki } from './pki.ts';
import { createStarter, type Starter } from './start-components.ts';
import { type NewTestbed, readState, type TestbedState } from './state.ts';
import { TestbedError } from './testbed-error.ts';

export interface UpOrder extends Partial<NewTestbed> {
  readonly home: string;
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
  /** The file to run for the part of the testbed that is our own. */
  readonly bundle: string;
}

/** Brings a testbed up, or what is missing of it. Answers what had to be started. */
export async function up(
  order: UpOrder,
): Promise<{ readonly testbed: TestbedState; readonly started: readonly string[] }> {
  const unlock = await lockName(order.home, order.name);
  try {
    return await bringUp(order);
  } finally {
    unlock();
  }
}

async function bringUp(order: UpOrder): Promise<{ testbed: TestbedState; started: readonly string[] }> {
  const state = await knownOrNew(order);
  const [binaries, assets] = await Promise.all([
    findBinaries({ argocd: state.argocd, env: environmentOf(order.env, state), report: order.report }),
    findAssets({ argocd: state.argocd, env: order.env, report: order.report }),
  ]);
  const [redis] = await Promise.all(
    (['redis-server', 'git', 'openssl'] as const).map((tool) => findTool(tool, order.env)),
  );
  const kubectl = createKubectl(binaries.path('kubectl'), kubeconfigOf(state, 'admin'));
  await prepareFolder(state, assets, kubectl);
  const site: Site = { testbed: state, redis: redis ?? 'redis-server', program: (name) => binaries.path(name) };
  const starter = createStarter(state, environment(order.env, state, binaries.folder));
  const { store, controllers, nodes } = controlPlane(site);
  await starter.start(store);
  await Promise.all([
    startNodes(starter, { others: [fakes(state, order.bundle), ...controllers], nodes, kubectl }),
    furnish(state, assets, kubectl),
  ]);
  await starter.start(argo(site));
  await kubectl(['wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=120s']);
  // Discovery tells of a new kind some time after it is served; whoever lists everything goes by it.
  await patiently(() => mustBeDiscovered(kubectl));
  return { testbed: readState(order.home, order.name) ?? state, started: starter.started };
}

interface NodesOrder {
  readonly others: readonly Component[];
  readonly nodes: readonly Component[];
  readonly kubectl: Kubectl;
}

/** A kwok that was killed still has the nodes' leases; the next one would wait for them to run out before it starts a pod. */
async function startNodes(starter: Starter, { others, nodes, kubectl }: NodesOrder): Promise<void> {
  await starter.start(others);
  if (nodes.some((node) => !starter.isRunning(node))) {
    await kubectl(['delete', 'leases', '--all', '--namespace=kube-node-lease', '--ignore-not-found']);
  }
  await starter.start(nodes);
}

/** Everything the processes read when they start. */
async function prepareFolder(state: TestbedState, assets: Assets, kubectl: Kubectl): Promise<void> {
  const { folder } = state;
  for (const name of ['log', 'home', 'tmp', 'bin', ...argocdFolders.map((own) => `argocd/${own}`)]) {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  }
  await makePki(folder);
  writeKubeconfigs(state);
  writeFileSync(join(folder, 'argocd/ssh/ssh_known_hosts'), '');
  writeFileSync(join(folder, 'audit-policy.yaml'), auditPolicy());
  writeFileSync(join(folder, 'egress.yaml'), egressConfig(state));
  writeFileSync(join(folder, 'stages.yaml'), stagesFor(await kubectl(['kustomize', assets.kwokStages])));
  if (assets.gitVerifyWrapper === undefined) return;
  const script = join(folder, 'bin/git-verify-wrapper.sh');
  copyFileSync(assets.gitVerifyWrapper, script);
  chmodSync(script, 0o755);
}

/** Nothing of the caller's environment but the way to programs and the network. */
function environment(env: NodeJS.ProcessEnv, { folder }: TestbedState, programs: string): NodeJS.ProcessEnv {
  return {
    PATH: [join(folder, 'bin'), programs, env['PATH'] ?? '/usr/bin:/bin'].join(delimiter),
    HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp'),
    TIPHYS_TESTBED_HOME: join(folder, '..'),
  };
}

/** The part of the outside world that answers: Vault behind the API server, and the webhook that refuses. */
function fakes({ name, ports }: TestbedState, bundle: string): Component {
  return {
    name: 'fakes',
    command: process.execPath,
    args: [bundle, 'fakes', '--name', name],
    ready: { port: ports.admission },
  };
}

async function furnish(state: TestbedState, assets: Assets, kubectl: Kubectl): Promise<void> {
  await apply(kubectl, baseObjects(state));
  const bySide = ['apply', '--server-side', '--force-conflicts', '--field-manager=testbed'];
  await Promise.all([
    kubectl([...bySide, '-f', assets.argocdCrds]),
    kubectl([...bySide, '-k', assets.workflowsCrds]),
    apply(kubectl, [admissionWebhook(state)]),
  ]);
  // A definition is served a moment after it was accepted.
  await patiently(() => apply(kubectl, [defaultProject, stepTemplates]));
}

/** Much on a quiet machine, little on one that builds something besides. */
const patienceMs = 120_000;

async function patiently(work: () => Promise<void>): Promise<void> {
  const until = systemClock.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TestbedError) || systemClock.now() > until) throw error;
    }
    await systemClock.sleep(200);
  }
}

async function mustBeDiscovered(kubectl: Kubectl): Promise<void> {
  const known = await kubectl(['api-resources', '--api-group=argoproj.io', '--output=name']);
  if (
    ['applications', 'appprojects', 'workflows', 'workflowtasksets'].every((kind) =>
      known.includes(`${kind}.argoproj.io`),
    )
  )
    return;
  throw new TestbedError('the API server does not tell of Argo’s kinds', 'Is it overloaded? Run up again.');
}
