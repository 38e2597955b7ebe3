import { describe, expect, it, vi } from 'vitest';
import { toReport } from '../../src/core/report/to-report.ts';
import type { RunEvent } from '../../src/core/run/events.ts';
import type { Run } from '../../src/core/run/run.ts';
import { bench, deployOn, platformFrom, sourceOf } from '../harness.ts';
import { watchCluster } from '../simulation/witness.ts';
import { workflowBench, workflowBenchFrom, workflowDeployOn } from '../workflow-bench.ts';
import { chain, faults, states, writes } from './look.ts';
import { held, leaseOf, nodes, phases, workflow, workflows } from './workflow-look.ts';

// Many runs each, and machines that have other things to do.
vi.setConfig({ testTimeout: 120_000 });

const branches = `apiVersion: tiphys.dev/v1
kind: Platform
name: branches
root: branches-root
defaults: { timeouts: { sync: 2m, health: 3m }, retries: { maxAttempts: 2, backoff: 5s } }
stacks:
  s:
    application: branches-s
    apps:
      a: {}
      b: { needs: [a] }
      c: { needs: [b] }
      d: { needs: [{ app: a, edge: soft }] }
      e: {}
`;

describe('a deploy through Argo Workflows', () => {
  it.each(['platforms/hello', 'platforms/reference'])(
    'brings %s up in order, hands everything over and tells the same as the embedded engine (R4.2, INV-1, R3.2)',
    { timeout: 60_000 },
    async (folder) => {
      const on = workflowBenchFrom(folder);
      const witness = watchCluster(on.sandbox, on.platform);
      const { run } = await workflowDeployOn(on);
      on.close();
      expect(run).toMatchObject({ outcome: 'success', exitCode: 0, engine: 'argo-workflows' });
      expect(witness.violations).toEqual([]);
      for (const { application } of on.platform.apps.values())
        expect([application, on.sandbox.truth(application).healthy]).toEqual([application, true]);
      expect([...witness.ownSyncs.values()].filter((count) => count !== 1)).toEqual([]);
      expect([held(on), leaseOf(on)]).toEqual([[], undefined]);
      expect(workflow(on).status).toMatchObject({ phase: 'Succeeded' });

      const other = bench(platformFrom(folder));
      const embedded = await deployOn(other);
      other.close();
      expect(shape(run)).toEqual(shape(embedded.run));
    },
  );

  it('finds nothing to do the second time: no Workflow, not one write (INV-6)', async () => {
    const on = workflowBenchFrom('platforms/hello');
    await workflowDeployOn(on);
    await on.time.run(on.time.sleep(60_000));
    // The agent goes on renewing its own leadership.
    const before = ours(writes(on)).length;
    const { run } = await workflowDeployOn(on);
    on.close();
    expect(run).toMatchObject({ outcome: 'success', exitCode: 0 });
    expect(ours(writes(on)).slice(before)).toEqual([]);
    expect(workflows(on)).toHaveLength(1);
  });

  it('a failed app blocks exactly its hard dependents, which stay held; soft ones and strangers go on (INV-4, R5.4)', async () => {
    const on = workflowBench(sourceOf(branches), { faults: faults('a=sync-fails') });
    const witness = watchCluster(on.sandbox, on.platform);
    const { run } = await workflowDeployOn(on);
    expect(phases(workflow(on))).toEqual({
      a: 'Failed',
      b: 'Omitted',
      c: 'Omitted',
      d: 'Succeeded',
      e: 'Succeeded',
    });
    expect(states(run)).toEqual({ a: 'failed', b: 'blocked', c: 'blocked', d: 'healthy', e: 'healthy' });
    expect(run).toMatchObject({ outcome: 'partial', exitCode: 2 });
    expect(run.nodes.get('a')).toMatchObject({ attempts: 2, because: expect.stringContaining('refused on purpose') });
    expect(run.nodes.get('c')?.blockedBy).toEqual(['a']);
    expect(held(on)).toEqual(['a', 'b', 'branches-root', 'branches-s', 'c']);
    expect([...run.held].sort()).toEqual(held(on));
    expect(leaseOf(on)).toBeUndefined();
    await on.time.run(on.time.sleep(30 * 60_000));
    expect(witness.syncs.get('b')).toBeUndefined();

    on.sandbox.fix('a');
    const again = await workflowDeployOn(on);
    on.close();
    expect(states(again.run)).toEqual({ a: 'healthy', b: 'healthy', c: 'healthy', d: 'skipped', e: 'skipped' });
    expect(again.run.exitCode).toBe(0);
    expect(Object.keys(phases(workflow(on))).sort()).toEqual(['a', 'b', 'c']);
    expect([held(on), witness.violations, witness.ownSyncs.get('d')]).toEqual([[], [], 1]);
  });

  it('an app that never gets Healthy ends with its own time-out, not with the Workflow’s (R5.5)', async () => {
    const on = workflowBench(sourceOf(branches), { faults: faults('e=never-healthy') });
    const { run } = await workflowDeployOn(on);
    on.close();
    expect(run.nodes.get('e')).toMatchObject({ state: 'failed', timedOut: true, attempts: 1 });
    expect(run.exitCode).toBe(2);
  });

  it('keeps to waves when asked for them', async () => {
    const on = workflowBench(sourceOf(chain), {
      scenario: { defaults: { readyMs: 1_000 }, apps: new Map([['d', { readyMs: 90_000 }]]) },
    });
    const { events } = await workflowDeployOn(on, { order: 'waves' });
    on.close();
    const order = events.filter(isStartOrEnd).map((event) => `${event.type} ${event.node}`);
    expect(order.indexOf('node-healthy d')).toBeLessThan(order.indexOf('node-started b'));
  });

  it('does no more at once than --parallelism allows; the rest stays Pending', async () => {
    const wide = chain.replace('needs: [a]', '').replace('needs: [b]', '');
    const on = workflowBench(sourceOf(wide));
    const atOnce: number[] = [];
    on.sandbox.store.subscribe(({ object }) => {
      if (object.kind !== 'Workflow') return;
      const busy = nodes(object as never).filter(({ type, phase }) => type === 'Plugin' && phase === 'Running');
      atOnce.push(busy.length);
    });
    const { run, events } = await workflowDeployOn(on, { parallelism: 2 });
    on.close();
    expect(run.exitCode).toBe(0);
    expect(Math.max(...atOnce)).toBe(2);
    expect(mostAtOnce(events)).toBe(2);
  });

  it('lets a step wait for its place longer than it may take itself', async () => {
    const wide = branches
      .replaceAll(/ needs: .*\}$/gm, ' }')
      .replace('sync: 2m, health: 3m', 'sync: 1m, health: 1m')
      .replace('e: {}', 'e: {}\n      f: {}\n      g: {}');
    const scenario = { defaults: { readyMs: 58_000 }, apps: new Map() };
    const source = { ...sourceOf(wide.replace('maxAttempts: 2', 'maxAttempts: 1')), overrides: { parallelism: 1 } };
    const on = workflowBench(source, { scenario });
    const { run } = await workflowDeployOn(on, { parallelism: 1 });
    on.close();
    // Sync, twice health and slack: five minutes; seven steps of nearly a minute, one after the other, take longer.
    expect([...run.nodes.values()].filter(({ state }) => state !== 'healthy')).toEqual([]);
    expect(Date.parse(run.finishedAt ?? '') - Date.parse(run.startedAt ?? '')).toBeGreaterThan(360_000);
  });
});

type StartOrEnd = Extract<RunEvent, { type: 'node-started' | 'node-healthy' }>;

function isStartOrEnd(event: RunEvent): event is StartOrEnd {
  return event.type === 'node-started' || event.type === 'node-healthy';
}

function mostAtOnce(events: readonly RunEvent[]): number {
  let now = 0;
  let most = 0;
  for (const { type } of events.filter(isStartOrEnd)) {
    now += type === 'node-started' ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
}

/** What a report has, without what no two runs share: times and names of operations. */
function shape(run: Run): object {
  const { nodes: all, failures, held: left, outcome, exitCode, platformHealth, stacks } = toReport(run);
  const told = all.map(({ name, state, attempts, evidence }) => ({
    name,
    state,
    attempts,
    evidence: Object.keys(evidence ?? {}).sort(),
  }));
  return { told, failures, left, outcome, exitCode, platformHealth, stacks };
}

function ours(all: ReturnType<typeof writes>): readonly string[] {
  return all.map(({ method, path }) => `${method} ${path}`).filter((line) => !line.includes('tiphys-workflow-agent'));
}
