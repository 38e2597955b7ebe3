import { expect, it } from 'vitest';
import { createChangeBell } from '../adapters/argocd/change-bell.ts';
import { healthy } from '../core/plan/observed.fixture.ts';
import type { ObservedApplication } from '../core/plan/observed.ts';
import { virtualTime } from '../sandbox/time.ts';
import { follow, operate } from './operation.ts';
import type { World } from './ports.ts';

it('sees that an operation has ended while it was being nudged, though nothing changes any more', async () => {
  const time = virtualTime();
  const bell = createChangeBell(time);
  const ours = { step: 'web/1', message: '', initiatedBy: 'tiphys' };
  let seen = { ...healthy('web'), operation: ours } as unknown as ObservedApplication;
  let nudgedAt = 0;
  const argocd: Partial<World['argocd']> = {
    application: () => seen,
    line: () => ({ length: 1, tookMs: 0 }),
    changed: bell.changed,
    async nudge() {
      nudgedAt = time.now();
      await time.sleep(100);
      const { operation: _over, ...rest } = seen;
      const lastOperation = { step: 'web/1', phase: 'Succeeded', message: 'successfully synced' };
      seen = { ...rest, resourceVersion: '2', lastOperation } as unknown as ObservedApplication;
      bell.ring('web');
      await time.sleep(100);
    },
  };
  const world = { clock: time, argocd, newId: () => 'id' } as unknown as World;
  const order = { node: 'web', application: 'web', operationId: 'web/1', runId: 'run', deadline: time.now() + 60_000 };
  const end = await time.run(follow(world, () => undefined, order, new AbortController().signal));
  expect(end).toMatchObject({ ended: 'succeeded' });
  expect(time.now() - nudgedAt).toBe(200);
});

const theirs = { initiatedBy: 'jane', automated: false };

it('asks at the last moment, when somebody else’s operation has let it have its turn, whether it may still begin (INV-1)', async () => {
  const { time, world, seen, asked } = cluster({ ...healthy('web'), operation: theirs });
  void time.sleep(240_000).then(() => seen({ operation: undefined }));
  const turned = { ended: 'timed-out', because: 'db has turned', hint: 'mend it' } as const;
  const stillWanted = async () => (time.now() >= began + 240_000 ? turned : undefined);
  const began = time.now();
  const order = { node: 'web', application: 'web', runId: 'run', deadline: time.now() + 600_000, stillWanted };
  const end = await time.run(operate(world, () => undefined, order, new AbortController().signal));
  expect([end, asked()]).toEqual([turned, 0]);
});

it('gives the sync its whole time, however long what it needs was waited for', async () => {
  const { time, world, seen } = cluster(healthy('web'));
  const stillWanted = () => time.sleep(500_000).then(() => undefined);
  const sync: World['argocd']['sync'] = async (_name, { operationId }) => {
    const operation = { ...theirs, step: operationId };
    seen({ operation, lastOperation: { step: operationId, phase: 'Running', message: '' } });
    void time
      .sleep(200_000)
      .then(() =>
        seen({ operation: undefined, lastOperation: { step: operationId, phase: 'Succeeded', message: '' } }),
      );
    return 'accepted';
  };
  const argocd = { ...world.argocd, sync, nudge: async () => undefined };
  const order = { node: 'web', application: 'web', runId: 'run', deadline: time.now() + 300_000, stillWanted };
  const end = await time.run(operate({ ...world, argocd }, quiet, order, new AbortController().signal));
  expect(end).toMatchObject({ ended: 'succeeded' });
});

it('sees that an automated operation could not be taken back because it had changed meanwhile, and asks again soon', async () => {
  const automated = { initiatedBy: 'argocd', automated: true };
  const blocked = { ...automated, phase: 'Running', message: 'Sync operation blocked by sync window' };
  const { time, world, seen, asked } = cluster({ ...healthy('web'), operation: automated, lastOperation: blocked });
  let tried = 0;
  const withdrawAutomated = async () => {
    // Argo CD writes while the request is under way: it is refused, and the bell has rung for nobody.
    await time.sleep(100);
    tried += 1;
    if (tried === 1) seen({ resourceVersion: '2' });
    else seen({ resourceVersion: '3', operation: undefined });
    await time.sleep(100);
  };
  const began = time.now();
  const order = { node: 'web', application: 'web', runId: 'run', deadline: time.now() + 600_000 };
  const argocd = { ...world.argocd, withdrawAutomated };
  await time.run(operate({ ...world, argocd }, () => undefined, order, new AbortController().signal));
  expect([tried, asked()]).toEqual([2, 1]);
  expect(time.now() - began).toBeLessThan(2_000);
});

const quiet = (): undefined => undefined;

/** An Application that is as it is told to be, and an Argo CD that does at once what is asked. */
function cluster(first: object) {
  const time = virtualTime();
  const bell = createChangeBell(time);
  let now = { resourceVersion: '1', ...first } as unknown as ObservedApplication;
  let asked = 0;
  const seen = (change: object): void => {
    now = { ...now, ...change };
    bell.ring('web');
  };
  const argocd: Partial<World['argocd']> = {
    application: () => now,
    line: () => ({ length: 1, tookMs: 0 }),
    changed: bell.changed,
    async sync(_name, { operationId }) {
      asked += 1;
      seen({ lastOperation: { step: operationId, phase: 'Succeeded', message: 'successfully synced' } });
      return 'accepted';
    },
  };
  const world = { clock: time, argocd, newId: () => 'id' } as unknown as World;
  return { time, world, seen, asked: () => asked };
}
