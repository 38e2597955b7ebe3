import { describe, expect, it, vi } from 'vitest';
import { workflowIdentity } from '../../src/adapters/argo-workflows/connect-agent.ts';
import type { Run } from '../../src/core/run/run.ts';
import { OperatorError } from '../../src/engine/operator-error.ts';
import type { ResourceType } from '../../src/sandbox/store/objects.ts';
import { deployOn, executorOn, sourceOf } from '../harness.ts';
import {
  agentOn,
  attachOn,
  installTemplates,
  type WorkflowBench,
  workflowBench,
  workflowBenchFrom,
  workflowDeployOn,
} from '../workflow-bench.ts';
import { chain, faults, states, writes } from './look.ts';
import { at, leaseOf, shutDown, workflow, workflows } from './workflow-look.ts';

// Many runs each, and machines that have other things to do.
vi.setConfig({ testTimeout: 120_000 });

describe('what Argo Workflows needs is missing: exit 1 before anything is written', () => {
  it.each([
    [
      'the templates',
      () => undefined,
      'ClusterWorkflowTemplate tiphys-sync-and-wait is not in the cluster',
      'Install charts/tiphys: `helm upgrade --install tiphys charts/tiphys -n argo`.',
    ],
    [
      'templates of this version',
      (on: WorkflowBench) => installTemplates(on, { 'tiphys.dev/templates': '0' }),
      'ClusterWorkflowTemplate tiphys-sync-and-wait is of version 0, this executor needs 1',
      'Install charts/tiphys and the executor of the same release.',
    ],
    [
      'Argo Workflows itself',
      uninstallArgoWorkflows,
      'Argo Workflows is not installed in this cluster',
      'Install it, or use --engine embedded: the executor walks the same plan itself.',
    ],
  ])('%s', async (_what, prepare, message, hint) => {
    const on = workflowBenchFrom('platforms/hello', { bare: true, idle: true });
    prepare(on);
    await expect(workflowDeployOn(on)).rejects.toMatchObject({ message, hint, exitCode: 1 });
    expect(writes(on)).toEqual([]);
    on.close();
  });

  it('the embedded engine does not need any of it', async () => {
    const on = workflowBenchFrom('platforms/hello', { bare: true, idle: true });
    uninstallArgoWorkflows(on);
    expect((await deployOn(on)).run.exitCode).toBe(0);
    on.close();
  });
});

describe('a Workflow that is not accepted', () => {
  it('for want of a right: the run ends with the sentence, exit 1, and the lease is free', async () => {
    const on = workflowBenchFrom('platforms/hello', { apiFaults: { before: refuseSubmission } });
    const { run } = await workflowDeployOn(on);
    expect(run).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(run.warnings.at(-1)?.message).toMatch(/^(could not|not allowed to) submit Workflow hello-deploy-/);
    expect([workflows(on), leaseOf(on)]).toEqual([[], undefined]);
    on.close();
  });
});

describe('one run at a time, whichever engine (INV-2)', () => {
  it('a second deploy is refused with the name of the Workflow that runs, also when nobody keeps its lease', async () => {
    const on = workflowBenchFrom('platforms/hello');
    await workflowDeployOn(on, { runId: 'deploy-first', detach: true });
    on.agent.kill();
    await on.time.run(on.time.sleep(120_000));
    expect(leaseOf(on)).toBeUndefined();
    for (const start of [workflowDeployOn, deployOn]) {
      const refusal = await start(on).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(OperatorError);
      expect(refusal).toMatchObject({
        message: expect.stringMatching(/^another run is going: Workflow argo\/hello-deploy-first, since 2026-/),
        hint: '`tiphys attach` follows it; `argo stop hello-deploy-first -n argo` ends it.',
      });
    }
    expect(workflows(on)).toHaveLength(1);
    agentOn(on, 5);
    expect((await attachOn(on)).run.exitCode).toBe(0);
    on.close();
  });
});

describe('--detach and attach', () => {
  it('tells where the run goes on, and ends nothing by leaving', async () => {
    const on = workflowBenchFrom('platforms/hello');
    const { run, events } = await workflowDeployOn(on, { runId: 'deploy-away', detach: true });
    expect(events.slice(-2).map(({ at: _at, ...event }) => event)).toEqual([
      { type: 'workflow-submitted', namespace: 'argo', name: 'hello-deploy-away' },
      { type: 'run-detached', follow: 'tiphys attach' },
    ]);
    expect([run.workflow, run.outcome]).toEqual(['argo/hello-deploy-away', undefined]);
    const left = new AbortController();
    on.time.after(20_000, () => left.abort());
    const watched = await attachOn(on, undefined, left.signal);
    expect(watched.run.outcome).toBeUndefined();
    expect(workflow(on).spec.shutdown).toBeUndefined();
    expect((await attachOn(on)).run).toMatchObject({ exitCode: 0, runId: 'deploy-away' });
    on.close();
  });

  it.each([
    ['a success', [], () => undefined],
    ['a failure', faults('b=sync-fails'), () => undefined],
    ['a stopped run', [], (on: WorkflowBench) => shutDown(on, 'Stop')],
  ])('attach to %s, while it runs and afterwards, ends with what the follower knew', async (_what, broken, after) => {
    const on = workflowBench(sourceOf(chain), { faults: broken });
    const beside = executorOn(on.platform, on, 9, { identity: workflowIdentity });
    let running: Promise<{ run: Run }> | undefined;
    const { run } = await workflowDeployOn(
      on,
      {},
      undefined,
      at('node-healthy', 'a', () => {
        running = attachOn({ ...on, world: beside.world });
        after(on);
      }),
    );
    const finished = await attachOn(on);
    expect(known((await running)?.run)).toEqual(known(run));
    expect(known(finished.run)).toEqual(known(run));
    expect(states(finished.run)).toEqual(states(run));
    on.close();
  });

  it('says so when there is nothing to attach to', async () => {
    const on = workflowBenchFrom('platforms/hello');
    await expect(attachOn(on)).rejects.toThrow('there is no run of this platform in Argo Workflows');
    await expect(attachOn(on, 'hello-other')).rejects.toThrow('there is no Workflow hello-other of this platform');
    on.close();
  });
});

/** What must be the same for whoever looks. */
function known(run: Run | undefined): object {
  const { runId, engine, order, workflow: name, interrupted, outcome, exitCode, held: left } = run as Run;
  const told = [...(run as Run).nodes.values()].map(
    ({ name: node, state, because, blockedBy, attempts, evidence, segments }) => {
      return { node, state, because, blockedBy, attempts, evidence, segments };
    },
  );
  return { runId, engine, order, name, interrupted, outcome, exitCode, left: [...left].sort(), told };
}

function uninstallArgoWorkflows({ sandbox }: WorkflowBench): void {
  const type = sandbox.types.byKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition') as ResourceType;
  for (const { metadata } of sandbox.store.list(type))
    if (/^(workflow|clusterworkflow|cronworkflow)/.test(metadata.name))
      sandbox.store.remove(type, undefined, metadata.name, 'administrator');
}

function refuseSubmission(request: { readonly method: string; readonly path: string }) {
  return request.method === 'POST' && /\/workflows(\?|$)/.test(request.path)
    ? ({ kind: 'status', status: 403 } as const)
    : undefined;
}
