import { describe, expect, it } from 'vitest';
import { pack } from '../../src/adapters/argo-workflows/packing.ts';
import { planDeploy } from '../../src/core/plan/plan-deploy.ts';
import { compileWorkflows } from '../../src/core/workflow/compile-workflow.ts';
import { writeRun } from '../../src/core/workflow/run-document.ts';
import { tasksPerWorkflow } from '../../src/core/workflow/workflow-parts.ts';
import { platformOf, sourceOf } from '../harness.ts';
import { workflowBench, workflowDeployOn } from '../workflow-bench.ts';
import { afterRequest, leaseOf, operationOf, underWay, until } from './workflow-look.ts';

// Two chains that meet, divided in the middle of both.
const dag = `apiVersion: tiphys.dev/v1
kind: Platform
name: divided
root: divided-root
stacks:
  all:
    apps:
      a1: {}
      a2: { needs: [a1] }
      a3: { needs: [a2] }
      b1: {}
      b2: { needs: [b1] }
      b3: { needs: [b2, { app: a3, edge: soft }] }
      end: { needs: [a3, b3] }
`;

describe('a plan that is too large for one Workflow', () => {
  it('comes up in order through several, with needs between them', async () => {
    const on = workflowBench(sourceOf(dag));
    const { run } = await workflowDeployOn(on, { mostTasks: 2 });
    expect(run).toMatchObject({ outcome: 'success', exitCode: 0 });
    const made = on.sandbox.changes.filter(({ type, object }) => type === 'ADDED' && object.kind === 'Workflow');
    // The one with the run is the last to come: nothing begins without it.
    expect(made.map(({ object }) => object.metadata.name.replace(/.*deploy-\d+/, ''))).toEqual([
      '-part-4',
      '-part-3',
      '-part-2',
      '',
    ]);
    const begun = (name: string): string => run.nodes.get(name)?.startedAt ?? '';
    const done = (name: string): string => run.nodes.get(name)?.finishedAt ?? '';
    for (const [node, need] of [
      ['a2', 'a1'],
      ['a3', 'a2'],
      ['b3', 'b2'],
      ['b3', 'a3'],
      ['end', 'b3'],
    ] as const)
      expect([node, begun(node) > done(need)]).toEqual([node, true]);
    on.close();
  });

  it('lets no wave begin before the one before it is over, when asked for waves', async () => {
    const slow = { defaults: {}, apps: new Map([['b1', { readyMs: 120_000 }]]) };
    const on = workflowBench(sourceOf(dag), { scenario: slow });
    const { run } = await workflowDeployOn(on, { mostTasks: 2, order: 'waves' });
    on.close();
    expect(run).toMatchObject({ outcome: 'success' });
    // a2 needs only a1, and waits for b1, which is in its wave.
    expect((run.nodes.get('a2')?.startedAt ?? '') > (run.nodes.get('b1')?.finishedAt ?? 'z')).toBe(true);
    expect((run.nodes.get('a3')?.startedAt ?? '') > (run.nodes.get('b2')?.finishedAt ?? 'z')).toBe(true);
  });

  it('when it is stopped ends the syncs of all before the lease is free; the next deploy finishes', async () => {
    for (const app of ['a1', 'b1', 'a2', 'b2']) {
      const slow = { defaults: {}, apps: new Map([[app, { waves: 2, readyMs: 60_000 }]]) };
      const on = workflowBench(sourceOf(dag), { scenario: slow });
      const stop = new AbortController();
      afterRequest(on, app, { afterMs: 4_000, act: () => stop.abort() });
      await workflowDeployOn(on, { mostTasks: 2 }, stop.signal);
      await until(on, 'the lease is free', { isSo: () => leaseOf(on) === undefined, withinMs: 60_000 });
      expect([app, underWay(on), operationOf(on, app)[0]]).toEqual([app, [], 'Failed']);
      expect((await workflowDeployOn(on, { mostTasks: 2 })).run).toMatchObject({ outcome: 'success' });
      on.close();
    }
  });

  it('blocks what needs a failure in another Workflow, and nothing else', async () => {
    const on = workflowBench(sourceOf(dag), { faults: [{ app: 'a2', kind: 'sync-fails' }] });
    const { run } = await workflowDeployOn(on, { mostTasks: 2 });
    on.close();
    const states = Object.fromEntries([...run.nodes.values()].map(({ name, state }) => [name, state]));
    const well = { a1: 'healthy', b1: 'healthy', b2: 'healthy', b3: 'healthy' };
    expect(states).toEqual({ ...well, a2: 'failed', a3: 'blocked', end: 'blocked' });
    expect(run).toMatchObject({ outcome: 'partial', exitCode: 2 });
    expect(run.nodes.get('end')?.blockedBy).toEqual(['a2']);
  });

  it('fits, with 10,000 apps, into Workflows that API server and controller take', () => {
    const apps = Array.from({ length: 10_000 }, (_, index) => {
      const needs = [2, 3, 5].map((part) => Math.floor(index / part)).filter((need) => need < index);
      const names = [...new Set(needs)].map((need) => `application-${need}`);
      return `      application-${index}: { needs: [${names.join(', ')}] }`;
    });
    const lines = [
      'apiVersion: tiphys.dev/v1',
      'kind: Platform',
      'name: large',
      'stacks:',
      '  all:',
      '    apps:',
      ...apps,
    ];
    const text = `${lines.join('\n')}\n`;
    const platform = platformOf(text);
    const nothing = { applications: new Map(), projects: new Map(), checks: new Map() };
    const plan = planDeploy(platform, nothing, { scope: { kind: 'platform' } });
    const source = sourceOf(text);
    const document = { runId: 'x', source, plan, order: 'edges', parallelism: 0, mostTasks: tasksPerWorkflow } as const;
    const workflows = compileWorkflows({
      platform,
      plan,
      order: 'edges',
      run: pack(writeRun(document)),
      name: 'large-x',
    });
    const sizes = workflows.map((workflow) => JSON.stringify(workflow).length);
    expect(workflows).toHaveLength(7);
    // The controller's limit is 1 MiB with its own notes, 45 bytes a task when compressed.
    for (const size of sizes) expect(size + 45 * tasksPerWorkflow).toBeLessThan(1024 * 1024);
  }, 60_000);
});
