import { describe, expect, it } from 'vitest';
import { refreshAnnotation } from '../../src/adapters/argocd/parse-application.ts';
import type { RunEvent } from '../../src/core/run/events.ts';
import { createHold, type Hold } from '../../src/engine/hold.ts';
import { createParents, type ParentsOptions } from '../../src/engine/parents.ts';
import type { Scenario } from '../../src/sandbox/world/scenario.ts';
import { type Bench, bench, deployOn, platformOf } from '../harness.ts';
import { faults } from './look.ts';

const dag = `
apiVersion: tiphys.dev/v1
kind: Platform
name: acme
root: acme-root
stacks:
  first: { application: acme-first, apps: { a: {} } }
  second: { application: acme-second, apps: { b: { needs: [a] } } }
  third: { application: acme-third, apps: { c: { needs: [b] } } }
`;

describe('parents of apps that are not there yet', () => {
  it('are in place before the first app is Healthy, so that no app waits for its parent to appear (R3.10)', async () => {
    const on = bench(platformOf(dag));
    const { run, events } = await deployOn(on);
    expect(run).toMatchObject({ outcome: 'success' });
    const healthy = events.findIndex(({ type }) => type === 'node-healthy');
    const byRoot = events.flatMap((event, index) => (isAsked(event, 'acme-root') ? [index] : []));
    expect(byRoot.length).toBeGreaterThan(0);
    expect(byRoot.filter((index) => index > healthy)).toEqual([]);
    on.close();
  });

  it('come first for what the longest path begins with, then for what may start now or next, then for the rest (R3.10)', async () => {
    const text = dag.replace('  third:', '  long: { application: acme-long, apps: { d: { type: ceph } } }\n  third:');
    const on = bench(platformOf(text));
    await deployOn(on);
    const brought = operationsOf(on, 'acme-root').map((names) => names.filter((name) => name.startsWith('acme-')));
    expect(brought.filter((names) => names.length > 0)).toEqual([
      ['acme-long'],
      ['acme-first', 'acme-second'],
      ['acme-third'],
    ]);
    on.close();
  });

  it.each(['never-healthy', 'sync-fails'])(
    'make a child, held, while what it needs is under way (%s); none beyond that, and nothing of it starts (INV-1, INV-4)',
    async (fault) => {
      const on = bench(platformOf(dag), { faults: faults(`a=${fault}`) });
      const { run, events } = await deployOn(on);
      expect(run).toMatchObject({ outcome: 'failed' });
      const there = ['acme-second', 'acme-third', 'b', 'c'].map((name) => on.world.argocd.application(name));
      expect(there.map((one) => one !== undefined)).toEqual([true, true, true, false]);
      expect(on.world.argocd.application('b')?.sync.status).toBe('OutOfSync');
      expect(events.filter((event) => isAsked(event, 'b'))).toEqual([]);
      const held = (await on.world.argocd.projects(never)).flatMap((project) => project.held);
      expect(held).toContain('b');
      on.close();
    },
  );

  it('make a child before what it needs is Healthy, so that it need not be waited for then (R3.10)', async () => {
    const on = bench(platformOf(dag));
    const { events } = await deployOn(on);
    const of = (isMeant: (event: RunEvent) => boolean): number[] =>
      events.flatMap((event, index) => (isMeant(event) ? [index] : []));
    const made = of((event) => isAsked(event, 'acme-second'));
    const [healthy = 0] = of((event) => event.type === 'node-healthy' && event.node === 'a');
    expect(made.length).toBeGreaterThan(0);
    expect(made.filter((index) => index > healthy)).toEqual([]);
    on.close();
  });
});

describe('the child of the root that goes before its siblings', () => {
  it('does not fail them when Git does not hold it, and is tried once', async () => {
    const ghost = '  ghost: { application: acme-ghost, apps: { g: {} } }\n';
    const { on, ensure } = await parentsOn(dag, { platform: platformOf(`${dag}${ghost}`), first: 'acme-ghost' });
    const looks = (): number => refreshesOf(on, 'acme-root');
    expect(await on.time.run(ensure('a', 120_000))).toBeUndefined();
    const before = looks();
    expect(before).toBeGreaterThan(1);
    expect(await on.time.run(ensure('b', 120_000))).toBeUndefined();
    expect(looks()).toBe(before);
    expect(await on.time.run(ensure('g', 120_000))).toMatchObject({ because: expect.stringContaining('acme-ghost') });
    on.close();
  });
});

describe('an operation of a parent that several have asked for', () => {
  const two = dag.replace('a: {}', 'a: {}, d: {}');

  it('has as much time as the most patient of them', async () => {
    const { on, ensure } = await parentsOn(two);
    const begun = on.time.now();
    const impatient = ensure('a', 20).then((failure) => ({ ...failure, afterMs: on.time.now() - begun }));
    const [hasty, patient] = await on.time.run(Promise.all([impatient, ensure('d', 60_000)]));
    expect(hasty).toEqual({ because: expect.any(String), hint: expect.any(String), timedOut: true, afterMs: 20 });
    expect(patient).toBeUndefined();
    expect(on.world.argocd.application('d')).toBeDefined();
    on.close();
  });

  it('goes on when the one who asked first is stopped, and ends when nobody waits for it any more', async () => {
    const { on, parents } = await parentsOn(two, { scenario: { defaults: { syncMs: 20_000 }, apps: new Map() } });
    const tasks = [new AbortController(), new AbortController()] as const;
    const within = on.time.now() + 60_000;
    const waiting = Promise.allSettled(
      (['a', 'd'] as const).map((app, index) => parents.ensure(app, within, tasks[index]?.signal ?? never)),
    );
    await on.time.run(on.time.sleep(30));
    tasks[0].abort(new Error('its task was taken away'));
    const [first, second] = await on.time.run(waiting);
    expect([first, second]).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: undefined }]);
    on.close();
  });

  it('leaves nothing behind when it cannot begin: the next one begins anew', async () => {
    let isAway = true;
    const coverNowAndThen = (): Promise<void> => (isAway ? Promise.reject(new Error('away')) : Promise.resolve());
    const { on, ensure } = await parentsOn(two, { hold: { coverNowAndThen } });
    await expect(on.time.run(ensure('a', 60_000))).rejects.toThrow('away');
    isAway = false;
    expect(await on.time.run(ensure('a', 60_000))).toBeUndefined();
    on.close();
  });
});

describe('a child that has appeared', () => {
  it('is there, also while its parent is not done with its record; that is waited for before the run ends', async () => {
    const { on, ensure, parents } = await parentsOn(dag, {
      scenario: { defaults: { syncMs: 20_000 }, apps: new Map() },
    });
    expect(await on.time.run(ensure('a', 120_000))).toBeUndefined();
    const phase = (): string | undefined => on.world.argocd.application('acme-first')?.lastOperation?.phase;
    const early = phase();
    await on.time.run(parents.settled());
    expect([early, phase()]).toEqual(['Running', 'Succeeded']);
    on.close();
  });
});

describe('a parent that was made a moment ago', () => {
  it('is believed when Argo CD has compared it by itself: nobody asks for a second comparison (R3.10)', async () => {
    const { on, ensure } = await parentsOn(dag);
    expect(await on.time.run(ensure('a', 60_000))).toBeUndefined();
    expect(refreshesOf(on, 'acme-root')).toBe(1);
    expect(refreshesOf(on, 'acme-first')).toBe(0);
    on.close();
  });
});

/** What each operation of this Application named, in the order in which they were asked for. */
function operationsOf({ sandbox }: Bench, application: string): readonly string[][] {
  const asked = sandbox.changes
    .filter(({ object }) => object.metadata.name === application && object['operation'] !== undefined)
    .map(({ object }) => object['operation'] as { sync: { resources?: { name: string }[] } })
    .map(({ sync }) => (sync.resources ?? []).map(({ name }) => name).sort());
  return asked.filter((names, index) => names.join() !== asked[index - 1]?.join());
}

/** How often somebody has asked for a comparison of this Application. */
function refreshesOf({ sandbox }: Bench, application: string): number {
  return sandbox.requests.filter(
    ({ method, path, body }) =>
      method === 'PATCH' &&
      path.includes(`/applications/${application}?`) &&
      JSON.stringify(body).includes(refreshAnnotation),
  ).length;
}

/** What makes Applications appear, on an embedded cluster that has only the root. */
async function parentsOn(
  text: string,
  {
    hold,
    scenario,
    ...more
  }: { hold?: Partial<Hold>; scenario?: Scenario } & Partial<Omit<ParentsOptions, 'hold'>> = {},
) {
  const on = bench(platformOf(text), scenario && { scenario });
  await on.time.run(on.world.argocd.observe(never));
  const held = { ...createHold(on.world, () => undefined, on.platform.apps.keys()), ...hold };
  const options = { platform: on.platform, runId: 'run', hold: held, ...more };
  const parents = createParents(on.world, () => undefined, options);
  const ensure = (application: string, withinMs: number) =>
    parents.ensure(application, on.time.now() + withinMs, never);
  return { on, ensure, parents };
}

const never = new AbortController().signal;

function isAsked(event: RunEvent, application: string): boolean {
  return event.type === 'operation-triggered' && event.application === application;
}
