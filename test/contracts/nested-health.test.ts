import { expect } from 'vitest';
import { ApiError } from '../../src/adapters/kubernetes/errors.ts';
import { ownVerdict } from '../../src/core/health/own-verdict.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { type HealthState, healthStates } from '../lua/health-states.ts';
import { application, createApplication, pathOf, refresh, sync, untilRefreshed, untilVerdict } from './argo.ts';
import { describeContract } from './describe-contract.ts';
import { inTurns } from './in-turns.ts';
import { deployment, deploymentPath } from './objects.ts';

// What is being deleted Argo CD calls Progressing before it asks any script.
const states = healthStates().filter(({ object }) => {
  const { kind, metadata } = object as KubeObject;
  return kind === 'Application' && !('deletionTimestamp' in metadata);
});

describeContract('the health of a parent', (behaves) => {
  behaves(
    'follows its children when our check for Applications is installed, but a child that is Missing does not show',
    async (cluster) => {
      const child = cluster.named('child');
      const manifest = application(cluster, child, { path: 'child' });
      await cluster.git.commit({ parent: [manifest], child: [deployment('web', { starts: false })] });
      const parent = await createApplication(cluster, 'parent', { path: 'parent' });
      await sync(cluster, parent);
      await untilVerdict(cluster, child, 'OutOfSync Missing');
      await untilRefreshed(cluster, parent, 'Synced Healthy');
      await sync(cluster, child);
      await untilVerdict(cluster, child, 'Synced Progressing');
      await untilVerdict(cluster, parent, 'Synced Progressing');
      await cluster.client.mergePatch(deploymentPath(cluster, 'web'), { spec: { paused: true } });
      await untilVerdict(cluster, child, 'Synced Suspended');
      await untilVerdict(cluster, parent, 'Synced Suspended');
    },
  );

  behaves(
    'is what we say of the child ourselves; a child that is Missing or Unknown does not count',
    async (cluster) => {
      const child = cluster.named('child');
      const frozen = application(cluster, child, { path: 'child' });
      const annotations = { 'argocd.argoproj.io/skip-reconcile': 'true' };
      await cluster.git.commit({ parent: [{ ...frozen, metadata: { ...frozen.metadata, annotations } }] });
      const parent = await createApplication(cluster, 'parent', { path: 'parent' });
      await sync(cluster, parent);
      const turnInto = async ({ object }: HealthState): Promise<KubeObject | undefined> =>
        cluster.client.replace<KubeObject>(pathOf(child), await inState(object as KubeObject)).catch(unlessInvalid);
      const possible: HealthState[] = [];
      for (const state of states) if ((await turnInto(state)) !== undefined) possible.push(state);
      // Whatever the API server keeps out, every verdict is given.
      expect(new Set(possible.map(({ status }) => status))).toEqual(new Set(states.map(({ status }) => status)));
      for (const state of inTurns(possible, expectedOf)) {
        const live = await turnInto(state);
        expect(ownVerdict(live)?.status, state.file).toBe(state.status);
        await cluster.eventually(`Argo CD says ${expectedOf(state)} of ${state.file}`, async () => {
          return (await refresh(cluster, parent)).status?.health?.status?.toLowerCase() === expectedOf(state);
        });
      }

      async function inState(state: KubeObject): Promise<object> {
        const { status: _old, operation: _gone, ...rest } = (await cluster.client.get<KubeObject>(pathOf(child)))!;
        const operation = state['operation'] === undefined ? {} : { operation: state['operation'] };
        return {
          ...rest,
          ...operation,
          ...(state['status'] === undefined ? {} : { status: complete(state['status']) }),
        };
      }
    },
  );
});

/** What the parent's health becomes. */
function expectedOf({ status }: HealthState): string {
  return status === 'missing' || status === 'unknown' ? 'healthy' : status;
}

/** The API server wants these fields; they mean nothing here. */
function complete(status: unknown): unknown {
  if (typeof status !== 'object' || status === null || !('operationState' in status)) return status;
  const state = status.operationState;
  if (typeof state !== 'object' || state === null) return status;
  return { ...status, operationState: { operation: {}, startedAt: '2026-01-05T03:00:00Z', phase: '', ...state } };
}

/** A state that the API server keeps out need not be judged. */
function unlessInvalid(error: unknown): undefined {
  if (!(error instanceof ApiError && error.reason === 'Invalid')) throw error;
  return undefined;
}
