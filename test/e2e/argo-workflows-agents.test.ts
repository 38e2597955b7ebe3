import { describe, expect, it, vi } from 'vitest';
import { sourceOf } from '../harness.ts';
import { watchCluster } from '../simulation/witness.ts';
import {
  type Agent,
  agentOn,
  type WorkflowBench,
  workflowBench,
  workflowBenchFrom,
  workflowDeployOn,
} from '../workflow-bench.ts';
import { admin, chain, leasePath, states } from './look.ts';
import { afterRequest, at, held, leaseOf, operationOf, shutDown, underWay, until, workflow } from './workflow-look.ts';

// Many runs each, and machines that have other things to do.
vi.setConfig({ testTimeout: 120_000 });

const allHealthy = { 'cert-manager': 'healthy', database: 'healthy', ingress: 'healthy', web: 'healthy' };

describe('an agent that dies', () => {
  it('at any moment leaves a run that its successor ends right, redoing nothing (R2.3)', {
    timeout: 120_000,
  }, async () => {
    for (let moment = 0; moment < 20; moment++) {
      const on = workflowBenchFrom('platforms/hello', { seed: moment, idSeed: moment + 1 });
      const witness = watchCluster(on.sandbox, on.platform);
      const agents: Agent[] = [];
      on.time.after(500 + moment * 9_700, () => on.agent.kill());
      on.time.after(500 + moment * 9_700 + 3_000, () => void agents.push(agentOn(on, 900 + moment)));
      const { run } = await workflowDeployOn(on);
      on.close();
      expect([moment, states(run), run.exitCode]).toEqual([moment, allHealthy, 0]);
      for (const node of run.nodes.values()) expect(Object.keys(node.evidence ?? {})).toContain('operationId');
      expect([moment, witness.violations]).toEqual([moment, []]);
      expect([moment, [...witness.ownSyncs].filter(([, count]) => count !== 1)]).toEqual([moment, []]);
      expect([held(on), leaseOf(on)]).toEqual([[], undefined]);
    }
  });

  it('and stays away for ten minutes: the follower says so once, and the run goes on when one is back', async () => {
    const on = workflowBenchFrom('platforms/hello');
    const { run } = await workflowDeployOn(
      on,
      {},
      undefined,
      at('operation-triggered', 'ingress', () => {
        on.agent.kill();
        on.time.after(600_000, () => void agentOn(on, 77));
      }),
    );
    on.close();
    expect([states(run), run.exitCode]).toEqual([allHealthy, 0]);
    expect(run.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Workflow argo\/hello-deploy-\d+ .*nobody/),
    ]);
    expect(run.warnings[0]?.hint).toContain('Is the Tiphys agent running?');
  });

  it('before it has begun anything is missed, too', async () => {
    const on = workflowBenchFrom('platforms/hello', { idle: true });
    on.time.after(300_000, () => void agentOn(on, 77));
    const { run } = await workflowDeployOn(on);
    on.close();
    expect(run.exitCode).toBe(0);
    expect(run.warnings).toHaveLength(1);
    expect(run.warnings[0]?.message).toContain('nobody');
  });

  it('is not needed to lose a run: a lease that somebody deletes is taken again, and the run goes on', async () => {
    const on = workflowBenchFrom('platforms/hello');
    const witness = watchCluster(on.sandbox, on.platform);
    const remove = (): void => void admin(on, 'DELETE', `${leasePath}/tiphys-hello`);
    const { run } = await workflowDeployOn(on, {}, undefined, at('operation-triggered', 'ingress', remove));
    on.close();
    expect([states(run), run.exitCode]).toEqual([allHealthy, 0]);
    expect([...witness.ownSyncs.values()]).toEqual([1, 1, 1, 1]);
    expect([held(on), leaseOf(on), witness.violations]).toEqual([[], undefined, []]);
  });

  it('in peace lets its successor go on at once', async () => {
    const on = workflowBenchFrom('platforms/hello');
    const witness = watchCluster(on.sandbox, on.platform);
    const { run } = await workflowDeployOn(
      on,
      {},
      undefined,
      at('node-healthy', 'cert-manager', () => {
        void on.agent.stop();
        agentOn(on, 77);
      }),
    );
    on.close();
    expect([states(run), run.warnings]).toEqual([allHealthy, []]);
    expect([...witness.ownSyncs.values()]).toEqual([1, 1, 1, 1]);
  });

  it('in peace leaves to its successor what it has asked Argo CD for', async () => {
    const on = workflowBenchFrom('platforms/hello', { timing: { operationPickup: () => 20_000 } });
    const witness = watchCluster(on.sandbox, on.platform);
    let left: readonly string[] = [];
    const act = (): void =>
      void on.agent.stop().then(() => {
        left = underWay(on);
        agentOn(on, 77);
      });
    afterRequest(on, 'cert-manager', { afterMs: 1_000, act });
    const { run } = await workflowDeployOn(on);
    on.close();
    expect(left).toContain('cert-manager');
    expect([states(run), [...witness.ownSyncs.values()]]).toEqual([allHealthy, [1, 1, 1, 1]]);
  });

  it('before somebody stops the Workflow leaves its successor what is to be taken back', async () => {
    const on = workflowBenchFrom('platforms/hello', { timing: { operationPickup: () => 20_000 } });
    let left: readonly string[] = [];
    const act = (): void =>
      void on.agent.stop().then(() => {
        left = underWay(on);
        shutDown(on, 'Stop');
        agentOn(on, 77);
      });
    afterRequest(on, 'cert-manager', { afterMs: 1_000, act });
    await workflowDeployOn(on);
    expect(left).toContain('cert-manager');
    await until(on, 'the lease is free', { isSo: () => leaseOf(on) === undefined, withinMs: 30_000 });
    expect([underWay(on), operationOf(on, 'cert-manager')]).toEqual([[], [undefined, undefined]]);
    on.close();
  });
});

describe('two agents', () => {
  it('only one works; the other takes over half a minute after the first has died', async () => {
    const on = workflowBenchFrom('platforms/hello');
    const witness = watchCluster(on.sandbox, on.platform);
    await on.time.run(on.time.sleep(1_000));
    const second = agentOn(on, 55);
    let diedAt = 0;
    const { run } = await workflowDeployOn(
      on,
      {},
      undefined,
      at('node-healthy', 'cert-manager', () => {
        expect(second.log).toEqual([expect.stringMatching(/works; this agent stands by$/)]);
        diedAt = on.time.now();
        on.agent.kill();
      }),
    );
    on.close();
    expect([states(run), run.exitCode]).toEqual([allHealthy, 0]);
    expect(second.log).toContain('this agent works from now on');
    expect(Date.parse(run.finishedAt ?? '') - diedAt).toBeGreaterThan(20_000);
    expect([...witness.ownSyncs.values()]).toEqual([1, 1, 1, 1]);
    expect(witness.violations).toEqual([]);
  });

  it('the one that stands by says so once, however long it stands', async () => {
    const on = workflowBenchFrom('platforms/hello');
    await on.time.run(on.time.sleep(1_000));
    const second = agentOn(on, 55);
    await on.time.run(on.time.sleep(600_000));
    on.close();
    expect(second.log).toHaveLength(1);
  });
});

describe('controllers that are restarted in the middle', () => {
  it.each([
    ['Argo Workflows', (on: WorkflowBench) => on.sandbox.restartWorkflows()],
    ['Argo CD', (on: WorkflowBench) => on.sandbox.restartArgoCd()],
  ])('%s: the run ends right', async (_name, restart) => {
    for (const seconds of [1, 20, 45, 70, 100]) {
      const on = workflowBenchFrom('platforms/hello');
      const witness = watchCluster(on.sandbox, on.platform);
      on.time.after(seconds * 1_000, () => restart(on));
      const { run } = await workflowDeployOn(on);
      on.close();
      expect([seconds, states(run), run.exitCode]).toEqual([seconds, allHealthy, 0]);
      expect(witness.violations).toEqual([]);
      expect([held(on), workflow(on).status?.phase]).toEqual([[], 'Succeeded']);
    }
  });
});

describe('an API server that is away for a while', () => {
  it.each([15_000, 90_000])('%i ms: the run goes on and ends right', async (forMs) => {
    let from = Number.POSITIVE_INFINITY;
    const before = (_request: unknown, now: number) =>
      now >= from && now < from + forMs ? ({ kind: 'refuse' } as const) : undefined;
    const on = workflowBenchFrom('platforms/hello', { apiFaults: { before } });
    const witness = watchCluster(on.sandbox, on.platform);
    on.time.after(40_000, () => {
      from = on.time.now();
    });
    const { run } = await workflowDeployOn(on);
    on.close();
    expect([states(run), run.exitCode]).toEqual([allHealthy, 0]);
    expect([held(on), leaseOf(on), witness.violations]).toEqual([[], undefined, []]);
  });
});

describe('an agent whose watch of Workflows hangs', () => {
  it('hands over by what is true now, not by what it saw last', async () => {
    let watches = 0;
    const before = ({ path }: { readonly path: string }) =>
      // The follower's is the first.
      /\/workflows\?.*watch=/.test(path) && ++watches === 2 ? ({ kind: 'stall' } as const) : undefined;
    const scenario = { defaults: { readyMs: 1_000 }, apps: new Map() };
    const on = workflowBench(sourceOf(chain), { apiFaults: { before }, scenario });
    const { run } = await workflowDeployOn(on);
    on.close();
    expect(watches).toBe(2);
    expect(run).toMatchObject({ outcome: 'success', exitCode: 0, warnings: [] });
    expect(held(on)).toEqual([]);
  });
});
