import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { playedLabels } from '../kubelet/parts.ts';
import type { Assets } from '../testbed.ts';
import { egressConfig } from '../world/egress.ts';
import { stagesFor } from '../world/stages.ts';
import { argo } from './argo.ts';
import { argocdFolders } from './argo-parts.ts';
import { auditPolicy } from './audit-policy.ts';
import type { Component, Site } from './component.ts';
import { controlPlane } from './control-plane.ts';
import { emptyOut } from './down.ts';
import { endOutdated } from './end-outdated.ts';
import { areNodesReady, furnish, waitUntilDiscovered, waitUntilNodesTakePods } from './furnish.ts';
import { gatherPrograms, type Programs } from './gather-programs.ts';
import { foresee, knownOrNew } from './known-or-new.ts';
import { kubeconfigOf, writeKubeconfigs } from './kubeconfigs.ts';
import { createKubectl, type Kubectl } from './kubectl.ts';
import { alone } from './lock-name.ts';
import { makePki } from './pki.ts';
import { createStarter, type Starter } from './start-components.ts';
import { type NewTestbed, readState, type TestbedState } from './state.ts';

export interface UpOrder extends Partial<NewTestbed> {
  readonly home: string;
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
  /** The file to run for the part of the testbed that is our own. */
  readonly bundle: string;
  /** What the cluster holds goes first. */
  readonly afresh?: boolean;
}

/** Brings a testbed up, or what is missing of it. Answers what had to be started. */
export async function up(
  order: UpOrder,
): Promise<{ readonly testbed: TestbedState; readonly started: readonly string[] }> {
  // Before the lock: building takes long, and nobody need wait for this testbed meanwhile.
  const programs = await gatherPrograms(foresee(order), order);
  return alone(order.home, order.name, () => bringUp(order, programs));
}

async function bringUp(
  order: UpOrder,
  { argocd, binaries, assets, charts, redis }: Programs,
): Promise<{ testbed: TestbedState; started: readonly string[] }> {
  const before = readState(order.home, order.name);
  // Somebody may have made another one of this name meanwhile.
  foresee({ ...order, argocd });
  if (order.afresh && before !== undefined) await emptyOut(before);
  const known = await knownOrNew({ ...order, argocd });
  const state = charts === undefined ? known : { ...known, charts };
  const kubectl = createKubectl(binaries.path('kubectl'), kubeconfigOf(state, 'admin'));
  // Before the folder is made up to date, which tells an older testbed from one of today.
  await endOutdated(before, state, order.report);
  await prepareFolder(state, assets, kubectl);
  const site: Site = { testbed: state, redis, program: (name) => binaries.path(name) };
  const starter = createStarter(state, environment(order.env, state, binaries.folder));
  const { store, controllers, nodes } = controlPlane(site);
  await starter.start(store);
  await Promise.all([
    startNodes(starter, { others: [fakes(state, order.bundle), ...controllers], nodes, kubectl }),
    furnish(state, assets, kubectl),
  ]);
  await starter.start(state.empty ? [kubeletPart(state, order.bundle)] : argo(site));
  if (!(await areNodesReady(kubectl, overlookedSeconds))) {
    order.report(
      'kwok has overlooked the nodes, as it does now and then when they come while it starts: it starts again',
    );
    await starter.restart(nodes);
  }
  await waitUntilNodesTakePods(kubectl);
  await waitUntilDiscovered(state, kubectl);
  return { testbed: readState(order.home, order.name) ?? state, started: starter.started };
}

/** Nodes are Ready half a second after kwok has seen them, on a busy machine after some more. */
const overlookedSeconds = 30;

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
  const played = state.empty ? playedLabels : [];
  writeFileSync(join(folder, 'stages.yaml'), stagesFor(await kubectl(['kustomize', assets.kwokStages]), played));
  if (assets.gitVerifyWrapper === undefined) return;
  const script = join(folder, 'bin/git-verify-wrapper.sh');
  copyFileSync(assets.gitVerifyWrapper, script);
  chmodSync(script, 0o755);
}

/** Nothing of the caller's environment but the way to programs. */
function environment(env: NodeJS.ProcessEnv, { folder }: TestbedState, programs: string): NodeJS.ProcessEnv {
  return {
    PATH: [join(folder, 'bin'), programs, env['PATH'] ?? '/usr/bin:/bin'].join(delimiter),
    HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp'),
    // Everything here shares a few cores and has memory to spare: collecting garbage is a fifth of what an API server does while it starts.
    GOGC: '400',
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

/** Runs what charts install of Argo, for want of a kubelet. It finds its programs by PATH. */
function kubeletPart({ name, ports }: TestbedState, bundle: string): Component {
  return {
    name: 'kubelet-part',
    command: process.execPath,
    args: [bundle, 'kubelet-part', '--name', name],
    ready: { url: `http://127.0.0.1:${ports.kubelet}/readyz` },
  };
}
