import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import type { Assets } from '../testbed.ts';
import { admissionWebhook } from '../world/admission.ts';
import { baseObjects, defaultProject, stepTemplates } from './base-objects.ts';
import { apply, type Kubectl } from './kubectl.ts';
import type { TestbedState } from './state.ts';
import { TestbedError } from './testbed-error.ts';

/** Brings what is in the cluster from the start. In an empty one that is nothing of Argo's. */
export async function furnish(state: TestbedState, assets: Assets, kubectl: Kubectl): Promise<void> {
  await apply(kubectl, baseObjects(state));
  await Promise.all([
    apply(kubectl, [admissionWebhook(state)]),
    ...(state.empty ? [] : [furnishWithArgo(assets, kubectl)]),
  ]);
}

async function furnishWithArgo(assets: Assets, kubectl: Kubectl): Promise<void> {
  const bySide = ['apply', '--server-side', '--force-conflicts', '--field-manager=testbed'];
  await Promise.all([kubectl([...bySide, '-f', assets.argocdCrds]), kubectl([...bySide, '-k', assets.workflowsCrds])]);
  // A definition is served a moment after it was accepted.
  await patiently(() => apply(kubectl, [defaultProject, stepTemplates]));
}

/** Discovery tells of a new kind some time after it is served; whoever lists everything goes by it. */
export async function waitUntilDiscovered(state: TestbedState, kubectl: Kubectl): Promise<void> {
  if (!state.empty) await patiently(() => mustBeDiscovered(kubectl));
}

/** Whether all nodes are Ready before so many seconds have gone by. */
export async function areNodesReady(kubectl: Kubectl, withinSeconds: number): Promise<boolean> {
  try {
    await waitForNodes(kubectl, withinSeconds);
    return true;
  } catch (error) {
    if (!(error instanceof TestbedError)) throw error;
    return false;
  }
}

async function waitForNodes(kubectl: Kubectl, withinSeconds: number): Promise<void> {
  await kubectl(['wait', '--for=condition=Ready', 'nodes', '--all', `--timeout=${withinSeconds}s`]);
}

/** Kubernetes takes a node's taint away a moment after the node is Ready; until then no pod gets a place. */
export async function waitUntilNodesTakePods(kubectl: Kubectl): Promise<void> {
  await waitForNodes(kubectl, 120);
  await patiently(async () => {
    const taints = await kubectl(['get', 'nodes', '--output=jsonpath={.items[*].spec.taints[*].key}']);
    if (taints.trim() !== '') throw new TestbedError(`the nodes still have the taint ${taints}`, 'Run up again.');
  });
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
