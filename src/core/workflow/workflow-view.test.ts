import { describe, expect, it } from 'vitest';
import { type RawNodes, viewWorkflow } from './workflow-view.ts';

const metadata = { name: 'acme-1', namespace: 'argo', resourceVersion: '7', creationTimestamp: 'now' };
const result = (value: string): object => ({ outputs: { parameters: [{ name: 'result', value }] } });

describe('viewWorkflow', () => {
  it('finds the nodes of the plan by the names of their tasks, and nothing else', () => {
    const nodes = named({
      'acme-1': { type: 'DAG' },
      'acme-1.web': { type: 'Plugin', phase: 'Running', message: 'waits' },
      'acme-1.db-PART-crds': { type: 'Plugin', phase: 'Omitted' },
      'acme-1.N-3scale': { type: 'Retry', phase: 'Succeeded' },
      'acme-1.N-3scale(0)': { type: 'Pod', phase: 'Failed' },
      'acme-1.onExit': { type: 'Steps', phase: 'Running' },
      'acme-1.onExit[0]': { type: 'StepGroup', phase: 'Running' },
      'acme-1.onExit[0].hand-over': { type: 'Plugin', displayName: 'hand-over', phase: 'Pending' },
    });
    const view = viewWorkflow({ metadata }, nodes);
    expect([...view.tasks].map(([node, { phase }]) => [node, phase])).toEqual([
      ['web', 'Running'],
      ['db#crds', 'Omitted'],
      ['3scale', 'Succeeded'],
    ]);
    expect(view.handOver?.phase).toBe('Pending');
  });

  it('takes the report of the last attempt that left one, when the step was tried again in new pods', () => {
    const nodes = {
      ...named({ 'acme-1.web': { type: 'Retry', phase: 'Running', children: ['p0', 'p1', 'p2'] } }),
      p0: { name: 'acme-1.web(0)', type: 'Pod', ...result('first') },
      p1: { name: 'acme-1.web(1)', type: 'Pod', ...result('second') },
      p2: { name: 'acme-1.web(2)', type: 'Pod' },
    };
    expect(viewWorkflow({ metadata }, nodes).tasks.get('web')?.report).toBe('second');
  });

  it('reads what the API server leaves out or writes as null', () => {
    const view = viewWorkflow(
      { metadata, status: { startedAt: null, finishedAt: null } },
      named({ 'acme-1.web': { startedAt: null, finishedAt: null } }),
    );
    expect(view).toMatchObject({ phase: '', message: '', isSuspended: false });
    expect([view.startedAt, view.finishedAt, view.shutdown, view.run, view.handOver]).toEqual(Array(5).fill(undefined));
    expect(view.tasks.get('web')).toEqual({
      phase: '',
      message: '',
      startedAt: undefined,
      finishedAt: undefined,
      report: undefined,
    });
  });

  it('knows a run that somebody ended or suspended, and the document it carries', () => {
    const spec = { shutdown: 'Stop', suspend: true, arguments: { parameters: [{ name: 'run', value: 'the run' }] } };
    expect(viewWorkflow({ metadata, spec }, {})).toMatchObject({ shutdown: 'Stop', isSuspended: true, run: 'the run' });
    expect(viewWorkflow({ metadata, spec: { shutdown: '' } }, {}).shutdown).toBeUndefined();
  });
});

function named(nodes: Readonly<Record<string, object>>): RawNodes {
  return Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, { name, ...node }]));
}
