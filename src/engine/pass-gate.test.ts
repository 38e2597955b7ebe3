import { expect, it } from 'vitest';
import { createChangeBell } from '../adapters/argocd/change-bell.ts';
import { healthy, platformWith, resource } from '../core/plan/observed.fixture.ts';
import type { ObservedApplication } from '../core/plan/observed.ts';
import type { App } from '../core/platform/platform.ts';
import { virtualTime } from '../sandbox/time.ts';
import { passGate } from './pass-gate.ts';
import type { World } from './ports.ts';

const platform = platformWith(`  s:
    apps:
      web: {}
`);
const progressing = { status: 'Progressing', message: undefined };
const good = { status: 'Healthy', message: undefined };
const bad = { status: 'Degraded', message: 'crash loop' };
/** A kind whose check in Argo CD may speak of an older state: its Healthy must last for five seconds. */
const custom = [resource('Thing', 'a', { group: 'example.com' })];

it('opens as soon as the watch shows Healthy, also while a comparison is on its way', async () => {
  const on = gate({ answersAfterMs: [10, 8_000] });
  on.at(3_000, { health: good });
  expect(await on.passed()).toMatchObject({ passed: true, tookMs: 3_000, asked: [0, 2_010] });
});

it('does not open before the first comparison is answered, whatever the watch shows', async () => {
  const on = gate({ answersAfterMs: [4_000], seen: { health: good } });
  expect(await on.passed()).toMatchObject({ passed: true, tookMs: 4_000 });
});

const synced = (status: 'Synced' | 'OutOfSync') => ({ sync: { status, revision: 'abc' } });
const behind = { ...synced('OutOfSync'), health: good };

it('takes a record that turns to Synced after the operation for an answer: it saw what the operation has changed', async () => {
  const on = gate({ answersAfterMs: [4_000], seen: behind, operationId: 'web/1', revision: 'abc' });
  on.at(500, { ...synced('Synced'), health: progressing });
  on.at(900, { health: good });
  expect(await on.passed()).toMatchObject({ passed: true, tookMs: 900, asked: [30] });
});

it.each([
  ['was Synced when the operation ended', { ...behind, ...synced('Synced') }, 'web/1', 'abc'],
  ['turns to Synced at another commit', behind, 'web/1', 'def'],
  ['turns to Synced without an operation of ours', behind, undefined, 'abc'],
])('takes no record for an answer that %s', async (_what, seen, operationId, revision) => {
  const on = gate({ answersAfterMs: [4_000], seen, revision, ...(operationId && { operationId }) });
  on.at(500, synced('Synced'));
  expect((await on.passed()).tookMs).toBeGreaterThanOrEqual(4_000);
});

it('counts the stability window from such a record, too, and still asks before it ends', async () => {
  const seen = { ...behind, resources: custom };
  const on = gate({ answersAfterMs: [1_000, 10], seen, operationId: 'web/1', revision: 'abc' });
  on.at(200, synced('Synced'));
  expect(await on.passed()).toMatchObject({ passed: true, tookMs: 5_200, asked: [30, 2_700] });
});

it('opens at the end of the stability window when a comparison made just before agrees: no sooner, no later', async () => {
  const on = gate({ answersAfterMs: [10, 700], seen: { health: good, resources: custom } });
  expect(await on.passed()).toMatchObject({ passed: true, tookMs: 5_010, asked: [0, 2_510] });
});

it('then asks for no other, and does not look all the time', async () => {
  const on = gate({ answersAfterMs: [10, 10], seen: { health: good, resources: custom } });
  expect(await on.passed()).toMatchObject({ passed: true, tookMs: 5_010, asked: [0, 2_510] });
});

it('waits beyond the window for a comparison that is late', async () => {
  const on = gate({ answersAfterMs: [10, 3_500], seen: { health: good, resources: custom } });
  expect(await on.passed()).toMatchObject({ passed: true, tookMs: 2_510 + 3_500 });
});

it('begins the window anew when Healthy turned meanwhile', async () => {
  const on = gate({ answersAfterMs: [10, 10, 10, 10], seen: { health: good, resources: custom } });
  on.at(4_500, { health: progressing });
  on.at(6_000, { health: good });
  expect(await on.passed()).toMatchObject({ passed: true, tookMs: 11_000 });
});

it('fails on what is bad for ten seconds, and still is in a comparison made just then', async () => {
  const on = gate({ answersAfterMs: [10, 10, 10, 10, 10, 10, 10], seen: { health: bad } });
  expect(await on.passed()).toMatchObject({ passed: false, because: 'Degraded (crash loop)', tookMs: 10_010 });
});

it('asks for a comparison every two seconds at first, and then after a quarter of the time it has waited', async () => {
  const on = gate({ answersAfterMs: Array.from({ length: 20 }, () => 10), seen: { health: progressing } });
  const { asked } = await on.passed();
  expect(asked.slice(0, 8).map(Math.round)).toEqual([0, 2_010, 4_020, 6_030, 8_040, 10_063, 12_591, 15_751]);
});

it('lets Argo CD write down an operation that has just ended before it asks', async () => {
  const { asked } = await gate({ answersAfterMs: [10], seen: { health: good }, operationId: 'web/1' }).passed();
  expect(asked[0]).toBe(30);
});

it('times out when nobody answers, and says what it waits for', async () => {
  const on = gate({ answersAfterMs: [10], seen: { health: good, resources: custom } });
  const because = 'timed out waiting for Argo CD to compare it once more';
  expect(await on.passed()).toMatchObject({ passed: false, timedOut: true, because, tookMs: 60_000 });
});

it.each([
  [3_000, 3_110],
  [5_500, 5_650],
  [20_000, 20_510],
])(
  'sees a probe answer that answers after %i ms when a fortieth of that is over, without a sign by Argo CD',
  async (answersAt, seenAt) => {
    const on = gate({ answersAfterMs: [10, 10, 10, 10, 10], seen: { health: good } });
    on.probeFrom(answersAt);
    const end = await on.passed();
    expect(end).toMatchObject({ passed: true });
    expect(end.tookMs).toBeLessThanOrEqual(seenAt);
  },
);

it('sees what has changed while its own checks were asked', async () => {
  const on = gate({ answersAfterMs: [10], seen: { health: progressing } });
  on.probeFrom(0, 300);
  on.at(100, { health: good });
  expect(await on.passed()).toMatchObject({ passed: true, tookMs: 610 });
});

/** A gate before an Application that an Argo CD compares in so many milliseconds, one request after the other; then never again. */
function gate(on: {
  readonly answersAfterMs: readonly number[];
  readonly seen?: Partial<ObservedApplication>;
  readonly operationId?: string;
  readonly revision?: string;
}) {
  const time = virtualTime();
  const began = time.now();
  const bell = createChangeBell(time);
  const answers = [...on.answersAfterMs];
  const asked: number[] = [];
  let seen: ObservedApplication = { ...healthy('web'), health: progressing, ...on.seen };
  const change = (now: Partial<ObservedApplication>): void => {
    seen = { ...seen, ...now, resourceVersion: String(Number(seen.resourceVersion) + 1) };
    bell.ring('web');
  };
  const argocd: Partial<World['argocd']> = {
    application: () => seen,
    line: () => ({ length: 1, tookMs: 0 }),
    changed: bell.changed,
    refresh: async () => {
      // One that is repeated because it was overlooked is not another one.
      if (seen.refreshRequested) return 'asked';
      asked.push(time.now() - began);
      const after = answers.shift();
      change({ refreshRequested: true });
      if (after !== undefined) time.after(after, () => change({ refreshRequested: false }));
      return 'asked';
    },
  };
  let app = platform.apps.get('web') as App;
  let answersFrom = 0;
  let takesMs = 0;
  const objects: Partial<World['objects']> = {
    async probe() {
      if (takesMs > 0) await time.sleep(takesMs);
      return { status: time.now() - began < answersFrom ? 503 : 200 };
    },
  };
  const world = { clock: time, argocd, objects, newId: () => 'id' } as unknown as World;
  const order = {
    node: 'web',
    environment: platform.environment,
    operationId: on.operationId,
    revision: on.revision,
    deadline: began + 60_000,
  };
  return {
    at: (ms: number, now: Partial<ObservedApplication>) => void time.after(ms, () => change(now)),
    /** Its app has a probe, which says no until then, and takes a while to say so. */
    probeFrom(ms: number, takes = 0) {
      takesMs = takes;
      app = { ...app, probes: [{ http: 'http://web/ready', expect: { status: 200 } }] };
      answersFrom = ms;
    },
    async passed() {
      const end = await time.run(passGate(world, () => undefined, { ...order, app }, new AbortController().signal));
      return { ...end, tookMs: time.now() - began, asked };
    },
  };
}
