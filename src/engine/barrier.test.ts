import { describe, expect, it } from 'vitest';
import type { ObservedApplication } from '../core/plan/observed.ts';
import { virtualTime } from '../sandbox/time.ts';
import { barrier, firstComparison } from './barrier.ts';
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

describe('a comparison that is asked for', () => {
  it('has been made when the request is gone', async () => {
    const moments = [unseen, { ...requested, atMs: 10 }, { atMs: 300, seen: compared }];
    const { compare, asked } = newApplication(moments, 10);
    expect(await compare()).toEqual({ refreshedAt: expect.any(String), afterMs: 300 });
    expect(asked()).toBe(1);
  });

  it('is asked for once more when somebody had asked before: what answers them may have begun before our request', async () => {
    const moments = [
      requested,
      { atMs: 300, seen: compared },
      { ...requested, atMs: 310 },
      { atMs: 700, seen: compared },
    ];
    const { compare, asked } = newApplication(moments, 10);
    expect(await compare()).toMatchObject({ afterMs: 700 });
    expect(asked()).toBe(2);
  });
});

interface Moment {
  readonly atMs: number;
  readonly seen: object;
}

const created = { createdAt: '2026-01-01T00:00:00Z', conditions: [], sync: { status: 'Unknown' } };
const unseen: Moment = { atMs: 0, seen: created };
const requested: Moment = { atMs: 0, seen: { ...created, refreshRequested: true } };
const compared = { ...created, reconciledAt: '2026-01-01T00:00:00Z', sync: { status: 'OutOfSync' } };

/** An Application whose record goes through these, under an Argo CD that answers at once when it is asked; asking takes so long. */
function newApplication(moments: readonly Moment[], askingMs = 0) {
  const time = virtualTime();
  const began = time.now();
  const now = (): number => time.now() - began;
  let asked = 0;
  const argocd: Partial<ArgoCd> = {
    application: () => moments.findLast(({ atMs }) => atMs <= now())?.seen as ObservedApplication,
    line: () => ({ length: 0, tookMs: 0 }),
    async refresh() {
      asked += 1;
      await time.sleep(askingMs);
      return 'asked';
    },
    async changed(_name, until, signal) {
      const next = moments.find(({ atMs }) => atMs > now())?.atMs ?? Number.POSITIVE_INFINITY;
      await time.sleep(Math.min(began + next, until) - time.now(), signal);
    },
  };
  const world = { clock: time, argocd, newId: () => 'id' } as unknown as World;
  const timed =
    (how: typeof barrier) =>
    async (withinMs = 60_000) => {
      const answer = await time.run(how(world, 'new', began + withinMs, new AbortController().signal));
      return { ...answer, afterMs: now() };
    };
  return { look: timed(firstComparison), compare: timed(barrier), asked: () => asked };
}
