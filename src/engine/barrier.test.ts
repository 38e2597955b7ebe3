import { describe, expect, it } from 'vitest';
import type { ObservedApplication } from '../core/plan/observed.ts';
import { virtualTime } from '../sandbox/time.ts';
import { firstComparison } from './barrier.ts';
import type { ArgoCd, World } from './ports.ts';

describe('the first comparison of a new Application', () => {
  it('is waited for, not asked for', async () => {
    const { look, asked } = newApplication([unseen, { atMs: 300, seen: compared }]);
    expect(await look()).toEqual({ refreshedAt: expect.any(String), afterMs: 300 });
    expect(asked()).toBe(0);
  });

  it('is asked for when it does not come', async () => {
    const { look, asked } = newApplication([unseen]);
    expect(await look()).toMatchObject({ afterMs: 2_000 });
    expect(asked()).toBe(1);
  });

  it('is asked for again when it ended in an error: the next one may be better', async () => {
    const failed = { ...compared, conditions: [{ type: 'ComparisonError', message: 'repo-server is starting' }] };
    const { look, asked } = newApplication([unseen, { atMs: 300, seen: failed }]);
    expect(await look()).toMatchObject({ afterMs: 300 });
    expect(asked()).toBe(1);
  });

  it.each([
    ['came with its manifest', { reconciledAt: '2025-12-31T23:59:59Z' }],
    ['knows nothing', { sync: { status: 'Unknown' } }],
  ])('is asked for when the record %s', async (_what, more) => {
    const { look, asked } = newApplication([{ atMs: 0, seen: { ...compared, ...more } }]);
    expect(await look()).toMatchObject({ afterMs: 0 });
    expect(asked()).toBe(1);
  });

  it('is over at its deadline', async () => {
    const { look } = newApplication([unseen]);
    expect(await look(1_000)).toEqual({ timedOut: true, afterMs: 1_000 });
  });
});

interface Moment {
  readonly atMs: number;
  readonly seen: object;
}

const created = { createdAt: '2026-01-01T00:00:00Z', conditions: [], sync: { status: 'Unknown' } };
const unseen: Moment = { atMs: 0, seen: created };
const compared = { ...created, reconciledAt: '2026-01-01T00:00:00Z', sync: { status: 'OutOfSync' } };

/** An Application whose record goes through these, under an Argo CD that answers at once when it is asked. */
function newApplication(moments: readonly Moment[]) {
  const time = virtualTime();
  const began = time.now();
  const now = (): number => time.now() - began;
  let asked = 0;
  const argocd: Partial<ArgoCd> = {
    application: () => moments.findLast(({ atMs }) => atMs <= now())?.seen as ObservedApplication,
    line: () => ({ length: 0, tookMs: 0 }),
    async refresh() {
      asked += 1;
      return 'asked';
    },
    async changed(_name, until, signal) {
      const next = moments.find(({ atMs }) => atMs > now())?.atMs ?? Number.POSITIVE_INFINITY;
      await time.sleep(Math.min(began + next, until) - time.now(), signal);
    },
  };
  const world = { clock: time, argocd, newId: () => 'id' } as unknown as World;
  const look = async (withinMs = 60_000) => {
    const answer = await time.run(firstComparison(world, 'new', began + withinMs, new AbortController().signal));
    return { ...answer, afterMs: now() };
  };
  return { look, asked: () => asked };
}
