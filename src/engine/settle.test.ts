import { describe, expect, it } from 'vitest';
import type { Platform } from '../core/platform/platform.ts';
import { PassedOnError } from './interrupted-error.ts';
import { asked, cluster, stopped, taken } from './one-application.fixture.ts';
import { settle, settleParents } from './settle.ts';

const blocked = { ...asked, lastOperation: { step: 'web/1', phase: 'Running', message: 'blocked by sync window' } };
const silent = { ...asked, lastOperation: { step: 'web/1', phase: 'Running', message: '' } };
const ending = { ...asked, lastOperation: { step: 'web/1', phase: 'Terminating', message: 'waiting for hook' } };
const others = { operation: { step: 'web-2/1' } };
const web = { node: 'web', application: 'web' };
const yes = async (): Promise<boolean> => true;
const no = async (): Promise<boolean> => false;

describe('a sync of a stopped step is', () => {
  it.each([
    ['taken back at once when it was not taken up', asked, {}, { withdrawn: 1, terminated: 0, now: 0 }],
    [
      'waited for when it was',
      taken,
      { later: { atMs: 4_000, seen: {} } },
      { withdrawn: 0, terminated: 0, now: 4_000 },
    ],
    ['ended when it takes longer', taken, {}, { withdrawn: 0, terminated: 1, now: 11_000 }],
    ['ended also when it has not said anything yet', silent, {}, { withdrawn: 0, terminated: 1, now: 11_000 }],
    ['ended again when a pass wrote over it', taken, { overwrites: 2 }, { withdrawn: 0, terminated: 3, now: 13_000 }],
    ['not waited for for ever', taken, { overwrites: 99 }, { withdrawn: 0, terminated: 10, now: 20_000 }],
    ['only waited for when somebody has ended it', ending, {}, { withdrawn: 0, terminated: 0, now: 20_000 }],
    ['taken back when a window keeps it from beginning', blocked, {}, { withdrawn: 1, terminated: 0, now: 10_000 }],
    ['not touched when it is another step’s', others, {}, { withdrawn: 0, terminated: 0, now: 0 }],
  ])('%s', async (_what, seen, more, end) => {
    const on = cluster(seen, more);
    await on.time.run(settle(on.world, { ...web, isStopped: yes }, stopped));
    expect({ withdrawn: on.withdrawn, terminated: on.terminated, now: on.now() }).toEqual(end);
  });

  it('left to Argo CD when the Workflow goes on and only who did the step was stopped', async () => {
    const on = cluster(taken);
    await on.time.run(settle(on.world, { ...web, isStopped: no }, stopped));
    expect([on.withdrawn, on.terminated, on.now()]).toEqual([0, 0, 10_000]);
  });

  it('left to whoever goes on with the run', async () => {
    for (const seen of [asked, taken]) {
      const on = cluster(seen);
      await on.time.run(
        settle(on.world, { ...web, isStopped: yes }, AbortSignal.abort(new PassedOnError('the lease was lost'))),
      );
      expect([on.withdrawn, on.terminated, on.now()]).toEqual([0, 0, 0]);
    }
  });
});

describe('a sync that creates Applications is', () => {
  const platform = { root: 'web', stacks: new Map(), apps: new Map() } as unknown as Platform;
  const of = (run: string) => ({ ...taken, operation: { step: 'web/1', run } });
  it.each([
    ['ended with its run', of('run-1'), yes, 1],
    ['left where the run goes on', of('run-1'), no, 0],
    ['left when it is another run’s', of('run-2'), yes, 0],
  ])('%s', async (_what, seen, isStopped, terminated) => {
    const on = cluster(seen);
    await on.time.run(settleParents(on.world, { platform, runId: 'run-1', isStopped }));
    expect(on.terminated).toBe(terminated);
  });
});
