import { expect, it } from 'vitest';
import type { ObservedApplication } from '../core/plan/observed.ts';
import { virtualTime } from '../sandbox/time.ts';
import { InterruptedError, PassedOnError } from './interrupted-error.ts';
import { OperatorError } from './operator-error.ts';
import type { ArgoCd, World } from './ports.ts';
import { settle, takeBack } from './take-back.ts';

const own = { application: 'web', operationId: 'web/1' };
const asked = { operation: { step: 'web/1' } };
const taken = { ...asked, lastOperation: { step: 'web/1', phase: 'Running', message: 'waiting for hook' } };
const blocked = { ...asked, lastOperation: { step: 'web/1', phase: 'Running', message: 'blocked by sync window' } };
const stopped = AbortSignal.abort(new InterruptedError('stopped'));

it('takes back what was not taken up, again when somebody wrote at the same moment', async () => {
  const on = cluster(asked, { conflicts: 2 });
  await on.time.run(takeBack(on.world, own, stopped));
  expect([on.withdrawn, on.now()]).toEqual([3, 200]);
});

it('leaves what was taken up, and what is somebody else’s', async () => {
  for (const seen of [taken, { operation: { step: 'web/2' } }, {}]) {
    const on = cluster(seen);
    await on.time.run(takeBack(on.world, own, stopped));
    expect(on.withdrawn).toBe(0);
  }
});

it('leaves everything to whoever goes on with the run', async () => {
  const passedOn = AbortSignal.abort(new PassedOnError('the lease was lost'));
  const on = cluster(asked);
  await on.time.run(takeBack(on.world, own, passedOn));
  await on.time.run(settle(on.world, { node: 'web', application: 'web' }, passedOn));
  expect([on.withdrawn, on.now()]).toEqual([0, 0]);
});

it('waits a moment for one that may have arrived', async () => {
  const on = cluster({}, { later: { atMs: 300, seen: asked } });
  await on.time.run(takeBack(on.world, { ...own, isUnsure: true }, stopped));
  expect([on.withdrawn, on.now()]).toEqual([1, 300]);
});

it('gives up after five seconds when the cluster does not answer, or refuses', async () => {
  const silent = cluster(asked, { conflicts: Number.POSITIVE_INFINITY });
  await silent.time.run(takeBack(silent.world, own, stopped));
  expect(silent.now()).toBe(5_000);
  const refusing = cluster(asked, { refuses: true });
  await refusing.time.run(takeBack(refusing.world, own, stopped));
  expect(refusing.now()).toBe(0);
});

it.each([
  ['taken back at once when it was not taken up', asked, {}, { withdrawn: 1, now: 0 }],
  ['waited for when it was', taken, { later: { atMs: 4_000, seen: {} } }, { withdrawn: 0, now: 4_000 }],
  ['left to Argo CD when it takes longer', taken, {}, { withdrawn: 0, now: 10_000 }],
  ['taken back then when a window keeps it from beginning', blocked, {}, { withdrawn: 1, now: 10_000 }],
  ['not touched when it is another step’s', { operation: { step: 'web-2/1' } }, {}, { withdrawn: 0, now: 0 }],
])('a sync of a stopped step is %s', async (_what, seen, more, end) => {
  const on = cluster(seen, more);
  await on.time.run(settle(on.world, { node: 'web', application: 'web' }, stopped));
  expect({ withdrawn: on.withdrawn, now: on.now() }).toEqual(end);
});

interface Behaviour {
  /** How many writes meet one of somebody else. */
  readonly conflicts?: number;
  readonly refuses?: boolean;
  readonly later?: { readonly atMs: number; readonly seen: object };
}

/** An Application, and an Argo CD that does nothing but what it is told to. */
function cluster(first: object, { conflicts = 0, refuses = false, later }: Behaviour = {}) {
  const time = virtualTime();
  const began = time.now();
  const now = (): number => time.now() - began;
  let gone = false;
  const on = { time, now, withdrawn: 0, world: undefined as unknown as World };
  const argocd: Partial<ArgoCd> = {
    application() {
      if (gone) return {} as ObservedApplication;
      return (later !== undefined && now() >= later.atMs ? later.seen : first) as ObservedApplication;
    },
    async changed(_name, until, signal) {
      const atMs = later !== undefined && now() < later.atMs ? Math.min(began + later.atMs, until) : until;
      await time.sleep(atMs - time.now(), signal);
    },
    async withdraw() {
      if (refuses) throw new OperatorError('could not withdraw', { hint: '' });
      on.withdrawn += 1;
      gone = on.withdrawn > conflicts;
    },
  };
  on.world = { clock: time, argocd } as unknown as World;
  return on;
}
