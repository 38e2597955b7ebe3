import { describe, expect, it } from 'vitest';
import { parseDuration } from '../platform/parse-duration.ts';
import type { App, Platform } from '../platform/platform.ts';
import { type CompileOptions, compileWorkflows, type Workflow, workflowName } from './compile-workflow.ts';
import { type Needs, planWith, platformFor, tasksOf } from './workflow.fixture.ts';

const needs: Needs = {
  base: {},
  'db#crds': {},
  db: { 'db#crds': 'hard', base: 'once' },
  '3scale': { db: 'hard', cache: 'soft' },
  cache: { base: 'hard' },
};

describe('compileWorkflows', () => {
  it('writes the same bytes for the same plan, whatever the order of the maps it came from (R2.2)', () => {
    const plan = planWith(needs);
    const platform = platformFor(plan);
    const turned = { ...platform, apps: new Map([...platform.apps].reverse()) };
    const first = JSON.stringify(compile({ plan, platform }));
    expect(JSON.stringify(compile({ plan: planWith(reversed(needs)), platform: turned }))).toBe(first);
    expect(JSON.stringify(compile({ plan, platform }))).toBe(first);
  });

  it('orders tasks by depends: hard and once want success, soft wants an end', () => {
    const ends = (task: string): string =>
      `(${['Succeeded', 'Failed', 'Errored', 'Skipped', 'Omitted'].map((end) => `${task}.${end}`).join(' || ')})`;
    expect(dependsIn(compile({ plan: planWith(needs) }))).toEqual({
      base: undefined,
      'db-PART-crds': undefined,
      cache: 'base.Succeeded',
      db: 'base.Succeeded && db-PART-crds.Succeeded',
      'N-3scale': `${ends('cache')} && db.Succeeded`,
    });
  });

  it('leaves skipped steps out, and nothing waits for them', () => {
    const workflow = compile({ plan: planWith(needs, new Set(['base', 'db'])) });
    expect(Object.keys(dependsIn(workflow)).sort()).toEqual(['N-3scale', 'cache', 'db-PART-crds']);
    expect(dependsIn(workflow)['cache']).toBeUndefined();
    expect(JSON.stringify(tasksOf(workflow))).not.toContain('base.');
  });

  it('with waves lets nothing begin before the wave before it is over, over skipped waves too', () => {
    const plan = planWith({ a: {}, b: { a: 'hard' }, c: { b: 'hard' }, x: {} }, new Set(['b']));
    const depends = dependsIn(compile({ plan, order: 'waves' }));
    expect(depends['c']).toContain('a.Omitted');
    expect(depends['c']).toContain('x.Failed');
    expect(depends['c']).not.toContain('b.');
  });

  it('hands each step its inputs, in seconds', () => {
    const plan = planWith({ base: {} });
    const platform = withApp(platformFor(plan), {
      timeouts: { syncMs: 90_500, healthMs: 600_000 },
      retries: { maxAttempts: 3, backoffMs: 10_000 },
    });
    const [task] = tasksOf(compile({ plan, platform }));
    expect(Object.fromEntries(task?.arguments.parameters.map(({ name, value }) => [name, value]) ?? [])).toEqual({
      node: 'base',
      'sync-timeout': '91s',
      'health-timeout': '600s',
      attempts: '3',
      backoff: '10s',
      // 3 × (90.5 s + 2 × 600 s) + 10 s + 20 s + 2 min of slack.
      deadline: '4022s',
    });
    expect(task?.templateRef).toEqual({ name: 'tiphys-sync-and-wait', template: 'step', clusterScope: true });
  });

  it('gives even a step of a hundred attempts a deadline that can be read', () => {
    const plan = planWith({ base: {} });
    const platform = withApp(platformFor(plan), { retries: { maxAttempts: 100, backoffMs: 10_000 } });
    const deadline = tasksOf(compile({ plan, platform }))[0]?.arguments.parameters.find(
      ({ name }) => name === 'deadline',
    );
    expect(deadline?.value).toMatch(/^\d+s$/);
    expect(parseDuration(deadline?.value ?? '')).toBeLessThan(90 * 86_400_000);
  });

  it('sets no deadline of its own where steps wait for a place: the template’s holds', () => {
    const plan = planWith({ base: {} });
    const { environment, ...rest } = platformFor(plan);
    const limited = { ...rest, environment: { ...environment, parallelism: 2 } };
    expect(JSON.stringify(tasksOf(compile({ plan, platform: limited })))).not.toContain('deadline');
  });

  it('carries the run, the trace, the labels and one mutex for the platform (INV-2)', () => {
    const plan = planWith({ base: {} });
    const { metadata, spec } = compile({ plan, runId: 'deploy-7', name: 'acme-deploy-7', traceparent: '00-1-2-01' });
    expect(metadata).toMatchObject({
      name: 'acme-deploy-7',
      namespace: 'argo',
      labels: {
        'app.kubernetes.io/managed-by': 'tiphys',
        'tiphys.dev/platform': 'acme',
        'tiphys.dev/run': 'deploy-7',
      },
    });
    expect(spec['arguments']).toEqual({
      parameters: [
        { name: 'platform', value: 'acme' },
        { name: 'scope', value: 'platform' },
        { name: 'action', value: 'deploy' },
        { name: 'traceparent', value: '00-1-2-01' },
        { name: 'run', value: 'the run' },
      ],
    });
    expect(spec).toMatchObject({
      entrypoint: 'plan',
      onExit: 'hand-over',
      synchronization: { mutexes: [{ name: 'tiphys-acme' }] },
      podGC: { strategy: 'OnPodSuccess' },
      templates: [{ dag: { failFast: false } }, { name: 'hand-over' }],
    });
  });

  it('without a name lets the API server make one up, and has a deadline only when the run has one', () => {
    const plan = planWith({ base: {} });
    const platform = platformFor(plan);
    const { metadata, spec } = compile({ plan, platform });
    expect(metadata.generateName).toBe('acme-deploy-');
    expect(metadata.labels['tiphys.dev/run']).toBeUndefined();
    expect(spec).not.toHaveProperty('activeDeadlineSeconds');
    const limited = { ...platform, environment: { ...platform.environment, runTimeoutMs: 61_500 } };
    expect(compile({ plan, platform: limited }).spec['activeDeadlineSeconds']).toBe(62);
  });
});

describe('workflowName', () => {
  it('fits into a label and ends with a letter or a digit, however long the platform’s name', () => {
    const name = workflowName(`${'p'.repeat(29)}-${'q'.repeat(30)}`, 'deploy-1a2b');
    expect(name).toBe(`${'p'.repeat(29)}-deploy-1a2b`);
    expect(workflowName('acme', `deploy-${'x'.repeat(49)}--y`)).toMatch(/^.{1,63}(?<=[a-z0-9])$/);
  });
});

function compile(but: Partial<CompileOptions> & Pick<CompileOptions, 'plan'>) {
  return compiled({ platform: platformFor(but.plan), order: 'edges', run: 'the run', ...but });
}

function dependsIn(workflow: Workflow): Record<string, string | undefined> {
  return Object.fromEntries(tasksOf(workflow).map(({ name, depends }) => [name, depends]));
}

function withApp(platform: Platform, but: Partial<App>): Platform {
  return { ...platform, apps: new Map([...platform.apps].map(([name, app]) => [name, { ...app, ...but }])) };
}

function reversed(all: Needs): Needs {
  return Object.fromEntries(
    Object.entries(all)
      .reverse()
      .map(([node, edges]) => [node, Object.fromEntries(Object.entries(edges).reverse())]),
  );
}

function compiled(options: Parameters<typeof compileWorkflows>[0]): Workflow {
  const [workflow] = compileWorkflows(options);
  if (workflow === undefined) throw new Error('there is always one');
  return workflow;
}
