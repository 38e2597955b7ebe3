import { describe, expect, test } from 'vitest';
import type { NodeStatus, Template, WorkflowTaskSet } from './workflow.ts';
import { planOf, task, workflowCluster } from './workflows.fixture.ts';

const nodeOf = (template: Template): string => String(template.inputs?.parameters?.[0]?.value);

describe('a plan as a Workflow', () => {
  test('runs tasks that refer to a ClusterWorkflowTemplate, and an exit handler that does', async () => {
    const plugins: object[] = [];
    const cluster = workflowCluster((template) => {
      plugins.push(template.plugin ?? {});
      return { phase: 'Succeeded' };
    });
    const inputs = { parameters: [{ name: 'node' }, { name: 'attempts', default: '3' }] };
    await cluster.create('ClusterWorkflowTemplate', 'steps', {
      templates: [
        {
          name: 'step',
          inputs,
          plugin: { tiphys: { node: '{{inputs.parameters.node}}', attempts: '{{inputs.parameters.attempts}}' } },
        },
        { name: 'hand-over', plugin: { tiphys: { status: '{{workflow.status}}' } } },
      ],
    });
    const step = { name: 'steps', template: 'step', clusterScope: true };
    const tasks = ['a', 'b'].map((name) => ({
      name,
      templateRef: step,
      arguments: { parameters: [{ name: 'node', value: name }] },
      ...(name === 'b' ? { depends: 'a.Succeeded' } : {}),
    }));
    const bye = { name: 'bye', steps: [[{ name: 'hand-over', templateRef: { ...step, template: 'hand-over' } }]] };
    await cluster.create('Workflow', 'w', {
      entrypoint: 'plan',
      onExit: 'bye',
      templates: [{ name: 'plan', dag: { failFast: false, tasks } }, bye],
    });
    await cluster.until('the Workflow succeeds', () => cluster.workflow('w').status?.phase === 'Succeeded');
    expect(plugins).toEqual([
      { tiphys: { node: 'a', attempts: '3' } },
      { tiphys: { node: 'b', attempts: '3' } },
      { tiphys: { status: 'Succeeded' } },
    ]);
    expect(cluster.node('w', 'a')).toMatchObject({ templateRef: step, templateScope: 'local/w', phase: 'Succeeded' });
    expect(Object.keys(cluster.workflow('w').status?.storedTemplates ?? {})).toEqual([
      'cluster/steps/step',
      'cluster/steps/hand-over',
    ]);
    const names = Object.values(cluster.workflow('w').status?.nodes ?? {}).map(({ name, type }) => `${name} ${type}`);
    expect(names.sort()).toEqual([
      'w DAG',
      'w.a Plugin',
      'w.b Plugin',
      'w.onExit Steps',
      'w.onExit[0] StepGroup',
      'w.onExit[0].hand-over Plugin',
    ]);
  });

  test('takes two requeues from one task to the next', async () => {
    const cluster = workflowCluster();
    await cluster.create('Workflow', 'w', planOf([task('a'), task('b', 'a')]));
    await cluster.until('the Workflow succeeds', () => cluster.workflow('w').status?.phase === 'Succeeded');
    const [first, second] = ['a', 'b'].map((name) => {
      const id = cluster.node('w', name)?.id ?? '';
      const handedOver = cluster.sandbox.changes.find(
        ({ object }) => id in ((object as WorkflowTaskSet).spec?.tasks ?? {}),
      );
      return handedOver?.at ?? 0;
    });
    expect((second ?? 0) - (first ?? 0)).toBe(2 * 100);
  });

  test('leaves out what hangs on a failure and runs what copes with it', async () => {
    const cluster = workflowCluster((template) => ({ phase: nodeOf(template) === 'a' ? 'Failed' : 'Succeeded' }));
    const soft = '(a.Succeeded || a.Failed || a.Errored || a.Omitted || a.Skipped)';
    const tasks = [
      task('a'),
      task('hard', 'a.Succeeded'),
      task('soft', soft),
      task('both', `${soft} && hard.Succeeded`),
    ];
    await cluster.create('Workflow', 'w', planOf([...tasks, task('not', '!a.Succeeded')]));
    await cluster.until('the Workflow fails', () => cluster.workflow('w').status?.phase === 'Failed');
    const phases = ['a', 'hard', 'soft', 'both', 'not'].map((name) => cluster.node('w', name)?.phase);
    expect(phases).toEqual(['Failed', 'Omitted', 'Succeeded', 'Omitted', 'Succeeded']);
  });
});

describe('what clients do to a Workflow', () => {
  test('one that failed goes on when somebody takes the failed node away', async () => {
    let isMended = false;
    const done: string[] = [];
    const cluster = workflowCluster((template, id) => {
      done.push(nodeOf(template));
      return { phase: nodeOf(template) === 'b' && !isMended ? 'Failed' : 'Succeeded', message: id };
    });
    await cluster.create('Workflow', 'w', planOf([task('a'), task('b', 'a'), task('c', 'b')]));
    await cluster.until('the Workflow fails', () => cluster.workflow('w').status?.phase === 'Failed');
    isMended = true;
    const failed = ['b', 'c'].map((name) => cluster.node('w', name)?.id ?? '');
    const nodes = {
      ...Object.fromEntries(failed.map((id) => [id, null])),
      w: { phase: 'Running', finishedAt: null, outboundNodes: null },
      [cluster.node('w', 'a')?.id ?? '']: { children: null },
    };
    const conditions = [{ type: 'Completed', status: 'False' }];
    const labels = { 'workflows.argoproj.io/completed': null };
    const status = { phase: '', message: null, finishedAt: null, conditions, nodes };
    // The agent of this test answers each task once.
    await cluster.patch('workflows/w', { metadata: { labels }, status });
    await cluster.sleep(50);
    expect(cluster.taskSet('w')?.metadata.labels).toMatchObject({ 'workflows.argoproj.io/completed': 'false' });
    expect(Object.keys(cluster.taskSet('w')?.spec?.tasks ?? {})).toEqual([failed[0]]);
    await cluster.patch('workflowtasksets/w/status', {
      status: { nodes: { [failed[0] ?? '']: { phase: 'Succeeded' } } },
    });
    await cluster.until('the Workflow succeeds', () => cluster.workflow('w').status?.phase === 'Succeeded');
    expect(done).toEqual(['a', 'b', 'c']);
    expect(cluster.workflow('w').status?.conditions).toContainEqual({ type: 'Completed', status: 'True' });
  });

  test('the one that waits for a mutex starts when the holder is deleted, also after a restart of the controller', async () => {
    const cluster = workflowCluster((template) => (nodeOf(template) === 'last' ? { phase: 'Succeeded' } : undefined));
    const synchronization = { mutexes: [{ name: 'platform' }] };
    for (const name of ['one', 'two', 'last']) {
      await cluster.create('Workflow', name, planOf([task(name)], { synchronization }));
      await cluster.sleep(1000);
    }
    cluster.sandbox.restartWorkflows();
    await cluster.sleep(1000);
    const phases = (): (string | undefined)[] =>
      ['one', 'two', 'last'].map((name) => cluster.workflow(name)?.status?.phase);
    expect(phases()).toEqual(['Running', 'Pending', 'Pending']);
    const type = cluster.sandbox.types.byKind('argoproj.io/v1alpha1', 'Workflow')!;
    cluster.sandbox.store.remove(type, 'argo', 'one', 'test');
    await cluster.until('the second runs', () => phases()[1] === 'Running');
    expect(phases()[2]).toBe('Pending');
    await cluster.patch('workflows/two', { spec: { shutdown: 'Terminate' } });
    await cluster.until('the last succeeds', () => phases()[2] === 'Succeeded');
  });

  test('going on after a restart of the controller repeats nothing', async () => {
    const cluster = workflowCluster();
    await cluster.create('Workflow', 'w', planOf([task('a'), task('b', 'a')]));
    await cluster.sleep(250);
    cluster.sandbox.restartWorkflows();
    await cluster.until('the Workflow succeeds', () => cluster.workflow('w').status?.phase === 'Succeeded');
    const handedOver = cluster.sandbox.changes.filter(
      ({ object, type }) => object.kind === 'WorkflowTaskSet' && type === 'ADDED',
    );
    expect(handedOver).toHaveLength(1);
  });
});

describe('what the controller cannot run', () => {
  test.each([
    ['without an entry point', { entrypoint: '' }, 'spec.entrypoint is required'],
    ['with an unknown entry point', { entrypoint: 'x' }, "template name 'x' undefined"],
    [
      'whose task calls nothing',
      planOf([{ name: 'a', template: 'x' }]),
      "templates.plan.tasks.a template name 'x' undefined",
    ],
    [
      'whose task lacks an input',
      planOf([{ name: 'a', template: 'act' }]),
      'templates.plan.tasks.a templates.act inputs.parameters.node was not supplied',
    ],
    [
      'with a task that begins with a digit',
      planOf([task('1a'), task('b', '1a')]),
      "templates.plan.tasks.1a name cannot begin with a digit when using either 'depends' or 'dependencies'",
    ],
    [
      'whose depends names no result',
      planOf([task('a'), task('b', 'a.Fine')]),
      "templates.plan.tasks.b task result 'Fine' for task 'a' is invalid",
    ],
  ])('a Workflow %s fails at once', async (_, spec, message) => {
    const cluster = workflowCluster();
    await cluster.create('Workflow', 'w', spec);
    await cluster.sleep(10);
    expect(cluster.workflow('w').status).toMatchObject({ phase: 'Failed', message: `invalid spec: ${message}` });
  });
});

test('what nobody foresaw ends the Workflow, not the controller', async () => {
  const cluster = workflowCluster();
  await cluster.create('Workflow', 'odd', planOf([task('a'), task('b', 'a &&')]));
  await cluster.create('Workflow', 'even', planOf([task('a')]));
  await cluster.until('the other succeeds', () => cluster.workflow('even').status?.phase === 'Succeeded');
  expect(cluster.workflow('odd').status).toMatchObject({
    phase: 'Error',
    message: 'unable to evaluate depends: unexpected end',
  });
});

test('a completed Workflow goes when its time to live has passed, and its task set with it', async () => {
  const cluster = workflowCluster();
  await cluster.create('Workflow', 'w', planOf([task('a')], { ttlStrategy: { secondsAfterCompletion: 60 } }));
  await cluster.sleep(50_000);
  expect(cluster.workflow('w').status?.phase).toBe('Succeeded');
  await cluster.sleep(15_000);
  expect([cluster.workflow('w'), cluster.taskSet('w')]).toEqual([undefined, undefined]);
});

test('a container template becomes a Pod, and the node follows its phase', async () => {
  const cluster = workflowCluster();
  const run = { name: 'run', container: { image: 'busybox', args: ['{{workflow.name}}'] } };
  await cluster.create('Workflow', 'w', { entrypoint: 'run', templates: [run] });
  await cluster.sleep(10);
  const type = cluster.sandbox.types.byKind('v1', 'Pod')!;
  const pod = cluster.sandbox.store.get(type, 'argo', 'w');
  expect(pod).toMatchObject({
    metadata: {
      labels: { 'workflows.argoproj.io/workflow': 'w' },
      annotations: { 'workflows.argoproj.io/node-id': 'w' },
    },
    spec: { containers: [{ name: 'main', image: 'busybox', args: ['w'] }] },
  });
  cluster.sandbox.store.change(type, 'argo', 'w', 'kubelet', (object) => ({
    ...object,
    status: { phase: 'Succeeded' },
  }));
  await cluster.until('the Workflow succeeds', () => cluster.workflow('w').status?.phase === 'Succeeded');
});

test('a Workflow over 1 MiB goes on with compressed nodes', async () => {
  const cluster = workflowCluster(() => ({ phase: 'Succeeded', message: 'x'.repeat(600_000) }));
  await cluster.create('Workflow', 'w', planOf([task('a'), task('b', 'a'), task('c', 'b')]));
  await cluster.until('the Workflow succeeds', () => cluster.workflow('w').status?.phase === 'Succeeded');
  expect(cluster.workflow('w').status?.compressedNodes).toMatch(/^H4sI/);
  expect(cluster.workflow('w').status?.nodes).toBeUndefined();
});

test('the same Workflow in two sandboxes leads to the same changes', async () => {
  const play = async (): Promise<string> => {
    const cluster = workflowCluster();
    await cluster.create('Workflow', 'w', planOf([task('a'), task('b', 'a'), task('c', 'a')]));
    await cluster.until('the Workflow succeeds', () => cluster.workflow('w').status?.phase === 'Succeeded');
    return JSON.stringify(cluster.sandbox.changes);
  };
  expect(await play()).toBe(await play());
});

test('a thousand tasks side by side are no burden', async () => {
  const cluster = workflowCluster();
  const names = Array.from({ length: 1000 }, (_, index) => `t${index}`);
  await cluster.create('Workflow', 'w', planOf(names.map((name) => task(name))));
  await cluster.until('the Workflow succeeds', () => cluster.workflow('w').status?.phase === 'Succeeded');
  const nodes: NodeStatus[] = Object.values(cluster.workflow('w').status?.nodes ?? {});
  expect(nodes.filter(({ type, phase }) => type === 'Plugin' && phase === 'Succeeded')).toHaveLength(1000);
}, 30_000);
