import { describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../src/core/run/events.ts';
import { type Played, sourceOf } from '../harness.ts';
import { watchCluster } from '../simulation/witness.ts';
import { type WorkflowBench, workflowBench, workflowBenchFrom, workflowDeployOn } from '../workflow-bench.ts';
import { chain, faults, states } from './look.ts';
import {
  afterRequest,
  at,
  deleteWorkflow,
  held,
  leaseOf,
  nodes,
  operationOf,
  phases,
  retryWorkflow,
  shutDown,
  slowly,
  stages,
  underWay,
  until,
  workflow,
  workflows,
} from './workflow-look.ts';

// Many runs each, and machines that have other things to do.
vi.setConfig({ testTimeout: 120_000 });

describe('a Workflow that somebody ends', () => {
  it.each(['Stop', 'Terminate'] as const)(
    '%s: leaves no operation that would begin later, keeps the rest held, frees the lease; the next deploy finishes',
    async (strategy) => {
      for (const moment of moments) {
        const on = workflowBenchFrom('platforms/hello');
        const witness = watchCluster(on.sandbox, on.platform);
        const { run } = await workflowDeployOn(
          on,
          {},
          undefined,
          moment(() => shutDown(on, strategy)),
        );
        expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
        expect(run.interrupted).toBe(`somebody ended the Workflow (${strategy})`);
        expect(workflow(on).status?.phase).toBe('Failed');
        await until(on, 'the lease is free', { isSo: () => leaseOf(on) === undefined, withinMs: 30_000 });
        await staysAsItIs(on, witness);
        await finishes(on);
        expect(witness.violations).toEqual([]);
        on.close();
      }
    },
  );

  it.each(stages)('Terminate: a sync that was $stage begins at once or never', async ({ stage, afterMs, state }) => {
    const on = workflowBenchFrom('platforms/hello', { timing: slowly });
    const witness = watchCluster(on.sandbox, on.platform);
    let seen: ReturnType<typeof operationOf> | undefined;
    const act = (): void => {
      seen = operationOf(on, 'cert-manager');
      shutDown(on, 'Terminate');
    };
    afterRequest(on, 'cert-manager', { afterMs, act });
    await workflowDeployOn(on);
    expect(seen).toEqual(state);
    await until(on, 'the lease is free', { isSo: () => leaseOf(on) === undefined, withinMs: 30_000 });
    await staysAsItIs(on, witness);
    expect(operationOf(on, 'cert-manager')[0]).toBe(stage === 'asked for' ? undefined : 'Succeeded');
    await finishes(on);
    on.close();
  });

  it.each([
    ['Stop', (on: WorkflowBench) => shutDown(on, 'Stop')],
    ['Terminate', (on: WorkflowBench) => shutDown(on, 'Terminate')],
    ['deletion', deleteWorkflow],
  ] as const)(
    '%s: waits with the lease for a sync that Argo CD is busy with, and ends one that takes long',
    async (_name, act) => {
      for (const [readyMs, end] of [
        [6_000, 'Succeeded'],
        [60_000, 'Failed'],
      ] as const) {
        // Between two waves, until what the first one has brought is healthy.
        const scenario = { defaults: {}, apps: new Map([['a', { waves: 2, readyMs }]]) };
        const on = workflowBench(sourceOf(chain), { scenario });
        const witness = watchCluster(on.sandbox, on.platform);
        afterRequest(on, 'a', { afterMs: 4_000, act: () => act(on) });
        await workflowDeployOn(on);
        await until(on, 'the lease is free', { isSo: () => leaseOf(on) === undefined, withinMs: 30_000 });
        expect(operationOf(on, 'a')[0]).toBe(end);
        await staysAsItIs(on, witness);
        await finishes(on);
        on.close();
      }
    },
  );

  it('Ctrl-C stops the Workflow: exit 1, nothing is started afterwards, and the next deploy finishes', async () => {
    for (const moment of moments) {
      const on = workflowBenchFrom('platforms/hello');
      const witness = watchCluster(on.sandbox, on.platform);
      const stop = new AbortController();
      const { run } = await workflowDeployOn(
        on,
        {},
        stop.signal,
        moment(() => stop.abort()),
      );
      expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
      expect(run.interrupted).toMatch(/^stopped on request/);
      expect(workflow(on)).toMatchObject({ spec: { shutdown: 'Stop' }, status: { phase: 'Failed' } });
      expect([...run.held].sort()).toEqual(held(on));
      await staysAsItIs(on, witness);
      await finishes(on);
      on.close();
    }
  });

  it('the run’s time-out ends it with exit 4', async () => {
    const on = workflowBench(sourceOf(chain), { faults: faults('b=never-healthy') });
    const { run } = await workflowDeployOn(on, { runTimeoutMs: 90_000 });
    expect(run).toMatchObject({ outcome: 'timeout', exitCode: 4, interrupted: expect.stringContaining('time-out') });
    expect(workflow(on).spec.shutdown).toBe('Stop');
    expect(held(on)).toContain('c');
    expect(leaseOf(on)).toBeUndefined();
    on.sandbox.fix('b');
    await finishes(on);
    on.close();
  });
});

describe('a Workflow that is deleted by hand', () => {
  it('ends the run with a clear sentence; nothing more starts, and the next deploy finishes', async () => {
    for (const moment of moments) {
      const on = workflowBenchFrom('platforms/hello');
      const witness = watchCluster(on.sandbox, on.platform);
      const { run } = await workflowDeployOn(
        on,
        {},
        undefined,
        moment(() => deleteWorkflow(on)),
      );
      expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
      expect(run.warnings.at(-1)).toMatchObject({
        message: expect.stringMatching(/^Workflow argo\/hello-.* was deleted while it ran$/),
        hint: expect.stringContaining('Run the same command again'),
      });
      await until(on, 'the lease is free', { isSo: () => leaseOf(on) === undefined, withinMs: 30_000 });
      await staysAsItIs(on, witness);
      await finishes(on);
      on.close();
    }
  });
});

describe('argo retry', () => {
  it('of a failed Workflow goes on where it failed, redoes nothing, and hands over (R2.3)', async () => {
    const on = workflowBench(sourceOf(chain), { faults: faults('b=sync-fails') });
    const witness = watchCluster(on.sandbox, on.platform);
    const { run } = await workflowDeployOn(on);
    expect(states(run)).toEqual({ a: 'healthy', b: 'failed', c: 'blocked', d: 'healthy' });
    const before = new Map(witness.ownSyncs);
    on.sandbox.fix('b');
    retryWorkflow(on);
    await ends(on, 'Succeeded');
    expect(phases(workflow(on))).toEqual({ a: 'Succeeded', b: 'Succeeded', c: 'Succeeded', d: 'Succeeded' });
    expect([held(on), leaseOf(on), witness.violations]).toEqual([[], undefined, []]);
    expect([witness.ownSyncs.get('a'), witness.ownSyncs.get('d')]).toEqual([before.get('a'), before.get('d')]);
    expect((await workflowDeployOn(on)).run.exitCode).toBe(0);
    expect(workflows(on)).toHaveLength(1);
    on.close();
  });

  it('of a stopped one finishes it', async () => {
    const on = workflowBenchFrom('platforms/hello');
    const witness = watchCluster(on.sandbox, on.platform);
    await workflowDeployOn(
      on,
      {},
      undefined,
      at('node-healthy', 'cert-manager', () => shutDown(on, 'Stop')),
    );
    expect(held(on)).not.toEqual([]);
    retryWorkflow(on);
    await ends(on, 'Succeeded');
    expect([held(on), leaseOf(on), witness.violations]).toEqual([[], undefined, []]);
    on.close();
  });

  it('when nothing was mended fails again, and keeps the hold', async () => {
    const on = workflowBench(sourceOf(chain), { faults: faults('b=sync-fails') });
    await workflowDeployOn(on);
    const left = held(on);
    retryWorkflow(on);
    await ends(on, 'Failed');
    expect(phases(workflow(on))).toMatchObject({ b: 'Failed', c: 'Omitted' });
    expect([held(on), leaseOf(on)]).toEqual([left, undefined]);
    on.close();
  });
});

type Moment = (act: () => void) => (event: RunEvent) => void;

/** Before anything, in the middle of a sync, between two apps. */
const moments: readonly Moment[] = [
  (then) => {
    let done = false;
    return ({ type }) => {
      if (done || type !== 'workflow-submitted') return;
      done = true;
      then();
    };
  },
  (then) => at('operation-triggered', 'cert-manager', then),
  (then) => at('node-healthy', 'cert-manager', then),
  (then) => at('operation-triggered', 'web', then),
];

async function staysAsItIs(on: WorkflowBench, witness: ReturnType<typeof watchCluster>): Promise<void> {
  expect(underWay(on)).toEqual([]);
  const left = held(on);
  const started = new Map(witness.syncs);
  await on.time.run(on.time.sleep(20 * 60_000));
  expect(new Map(witness.syncs)).toEqual(started);
  expect(held(on)).toEqual(left);
  for (const { application } of on.platform.apps.values())
    if (!started.has(application)) expect(left).toContain(application);
}

async function finishes(on: WorkflowBench): Promise<Played> {
  const next = await workflowDeployOn(on);
  expect(next.run).toMatchObject({ outcome: 'success', exitCode: 0 });
  expect([held(on), leaseOf(on)]).toEqual([[], undefined]);
  return next;
}

async function ends(on: WorkflowBench, phase: string): Promise<void> {
  const isOver = (): boolean => nodes(workflow(on)).length > 0 && workflow(on).status?.phase === phase;
  await until(on, `the Workflow is ${phase}`, { isSo: isOver, withinMs: 30 * 60_000 });
}
