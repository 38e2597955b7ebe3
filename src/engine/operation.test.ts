import { expect, it } from 'vitest';
import { createChangeBell } from '../adapters/argocd/change-bell.ts';
import { healthy } from '../core/plan/observed.fixture.ts';
import type { ObservedApplication } from '../core/plan/observed.ts';
import { virtualTime } from '../sandbox/time.ts';
import { follow } from './operation.ts';
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
