import { describe, expect, it } from 'vitest';
import type { Platform } from '../core/platform/platform.ts';
import { PassedOnError } from './interrupted-error.ts';
import { asked, cluster, taken } from './one-application.fixture.ts';
import { settle } from './settle.ts';

const blocked = { ...asked, lastOperation: { step: 'web/1', phase: 'Running', message: 'blocked by sync window' } };
const silent = { ...asked, lastOperation: { step: 'web/1', phase: 'Running', message: '' } };
const ending = { ...asked, lastOperation: { step: 'web/1', phase: 'Terminating', message: 'waiting for hook' } };
const others = { operation: { step: undefined, initiatedBy: 'alice' } };
const next = { operation: { step: 'web/2' }, lastOperation: { step: 'web/2', phase: 'Running', message: 'at work' } };
const apps = new Map([['web', { application: 'web' }]]);
const platform = { root: undefined, stacks: new Map(), apps } as unknown as Platform;
const never = new AbortController().signal;

describe('a sync of a stopped run is', () => {
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
    ['not touched when it is somebody else’s', others, {}, { withdrawn: 0, terminated: 0, now: 0 }],
    [
      'let go when another one has taken its place',
      taken,
      { later: { atMs: 4_000, seen: next } },
      { withdrawn: 0, terminated: 0, now: 4_000 },
    ],
  ])('%s', async (_what, seen, more, end) => {
    const on = cluster(seen, more);
    await on.time.run(settle(on.world, { platform, isStopped: async () => true }, never));
    expect({ withdrawn: on.withdrawn, terminated: on.terminated, now: on.now() }).toEqual(end);
  });

  it('the business of whoever goes on when the run was not stopped, or not any more', async () => {
    const neverStopped = cluster(taken);
    await neverStopped.time.run(settle(neverStopped.world, { platform, isStopped: async () => false }, never));
    expect([neverStopped.terminated, neverStopped.now()]).toEqual([0, 0]);
    const answers = [true, false];
    const retried = cluster(taken);
    await retried.time.run(settle(retried.world, { platform, isStopped: async () => answers.shift() ?? false }, never));
    expect([retried.terminated, retried.now()]).toEqual([0, 10_000]);
  });

  it('the business of whoever has the lease, also when it is lost meanwhile', async () => {
    const lost = AbortSignal.abort(new PassedOnError('the lease was lost'));
    for (const seen of [asked, taken]) {
      const on = cluster(seen);
      await on.time.run(settle(on.world, { platform, isStopped: async () => true }, lost));
      expect([on.withdrawn, on.terminated, on.now()]).toEqual([0, 0, 0]);
    }
    const on = cluster(taken);
    const losing = new AbortController();
    void on.time.sleep(5_000).then(() => losing.abort(new PassedOnError('the lease was lost')));
    await on.time.run(settle(on.world, { platform, isStopped: async () => true }, losing.signal));
    expect([on.withdrawn, on.terminated, on.now()]).toEqual([0, 0, 5_000]);
  });
});
