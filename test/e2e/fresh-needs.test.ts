import { describe, expect, it } from 'vitest';
import type { ObservedApplication } from '../../src/core/plan/observed.ts';
import type { RunEvent } from '../../src/core/run/events.ts';
import { type Bench, bench, deployOn, platformOf } from '../harness.ts';

const dag = `
apiVersion: tiphys.dev/v1
kind: Platform
name: acme
root: acme-root
stacks:
  all:
    application: acme-all
    apps:
      early: {}
      late: { timeouts: { health: 1h } }
      both: { needs: [early, late] }
`;

describe('what an app needs besides the last one', () => {
  it.each([90_000, 240_000])(
    'is looked at while that becomes Healthy, %d ms long, so that its turn begins with its sync (R3.10)',
    async (readyMs) => {
      const { on, events, compared } = await deployed(readyMs);
      const turn = atOf(events, ({ type, node }) => type === 'node-started' && node === 'both');
      expect(atOf(events, ({ type, node }) => type === 'operation-triggered' && node === 'both') - turn).toBeLessThan(
        10,
      );
      // The verdict that counts on the turn is young all the same (INV-1).
      expect(turn - Math.max(...compared.filter((at) => at <= turn))).toBeLessThan(30_000);
      on.close();
    },
  );

  it('is looked at every few seconds at most, and not for hours', async () => {
    const { on, events, compared } = await deployed(3_000_000);
    const turn = atOf(events, ({ type, node }) => type === 'node-started' && node === 'both');
    const meanwhile = compared.filter((at) => at < turn);
    expect(meanwhile.length).toBeGreaterThan(10);
    expect(meanwhile.length).toBeLessThan(30);
    // Then it is looked at on the turn.
    expect(compared.filter((at) => at >= turn).length).toBeGreaterThan(0);
    on.close();
  });
});

describe('a need that turns while its dependent waits for somebody else’s operation', () => {
  it('keeps it from starting, however fresh it was before (INV-1)', async () => {
    const scenario = { defaults: { readyMs: 10_000 }, apps: new Map([['late', { readyMs: 10_000 }]]) };
    const on = bench(platformOf(dag), { scenario });
    let turnAt = Number.POSITIVE_INFINITY;
    const isPast = (ms: number): boolean => on.time.now() >= turnAt + ms;
    const argocd = seenAs(on, (name, seen) => {
      if (name === 'both' && !isPast(240_000)) return { ...seen, operation: theirs };
      if (name === 'early' && isPast(60_000)) return { ...seen, health: { status: 'Degraded', message: 'broken' } };
      return seen;
    });
    const { run, events } = await deployOn({ ...on, world: { ...on.world, argocd } }, {}, undefined, (event) => {
      if (event.type === 'node-started' && event.node === 'both') turnAt = on.time.now();
    });
    on.close();
    expect(run.nodes.get('both')).toMatchObject({
      state: 'failed',
      because: expect.stringContaining('early, which it needs, was Healthy at its gate but is not now'),
    });
    expect(events.filter((event) => event.type === 'operation-triggered' && event.node === 'both')).toEqual([]);
  });
});

describe('a need that turns while another one is looked at again', () => {
  it.each([
    [160_000, 280_000],
    [105_000, 115_000],
  ])('keeps its dependent from starting, after %d of %d ms (INV-1)', async (turnsAfter, otherTakes) => {
    const scenario = { defaults: { readyMs: 10_000 }, apps: new Map([['late', { readyMs: 10_000 }]]) };
    const on = bench(platformOf(dag), { scenario });
    let turnAt = Number.POSITIVE_INFINITY;
    const isWithin = (from: number, to: number): boolean =>
      on.time.now() >= turnAt + from && on.time.now() < turnAt + to;
    const argocd = seenAs(on, (name, seen) => {
      if (name === 'both' && !isWithin(100_000, Number.POSITIVE_INFINITY)) return { ...seen, operation: theirs };
      if (name === 'early' && isWithin(50_000, otherTakes))
        return { ...seen, health: { status: 'Progressing', message: undefined } };
      if (name === 'late' && isWithin(turnsAfter, Number.POSITIVE_INFINITY))
        return { ...seen, health: { status: 'Degraded', message: 'broken' } };
      return seen;
    });
    const { run, events } = await deployOn({ ...on, world: { ...on.world, argocd } }, {}, undefined, (event) => {
      if (event.type === 'node-started' && event.node === 'both') turnAt = on.time.now();
    });
    on.close();
    expect(run.nodes.get('both')).toMatchObject({ state: 'failed', because: expect.stringMatching(/^late, which/) });
    expect(events.filter((event) => event.type === 'operation-triggered' && event.node === 'both')).toEqual([]);
  });
});

const theirs = { initiatedBy: 'jane', automated: false, selective: false, step: undefined, run: undefined };

/** Argo CD as it would look if its records said something else; whoever waits looks every five seconds. */
function seenAs(
  { world: { argocd }, time }: Bench,
  how: (name: string, seen: ObservedApplication) => ObservedApplication,
): Bench['world']['argocd'] {
  return {
    ...argocd,
    application(name) {
      const seen = argocd.application(name);
      return seen && how(name, seen);
    },
    changed: (name, until, signal) => argocd.changed(name, Math.min(until, time.now() + 5_000), signal),
  };
}

async function deployed(readyMs: number): Promise<{ on: Bench; events: readonly RunEvent[]; compared: number[] }> {
  const scenario = { defaults: { readyMs: 10_000 }, apps: new Map([['late', { readyMs }]]) };
  const on = bench(platformOf(dag), { scenario });
  const compared: number[] = [];
  const { refresh } = on.world.argocd;
  const argocd = {
    ...on.world.argocd,
    refresh(name: string, nonce: string, signal: AbortSignal) {
      if (name === 'early') compared.push(on.time.now());
      return refresh(name, nonce, signal);
    },
  };
  const { run, events } = await deployOn({ ...on, world: { ...on.world, argocd } });
  expect(run).toMatchObject({ outcome: 'success' });
  return { on, events, compared };
}

function atOf(events: readonly RunEvent[], isMeant: (event: { type: string; node?: string }) => boolean): number {
  const found = events.find((event) => isMeant(event as { type: string; node?: string }));
  if (found === undefined) throw new Error('no such event');
  return Date.parse(found.at);
}
