import { expect, test } from 'vitest';
import { workflowController } from '../../src/sandbox/controllers/argo-workflows/operation.ts';
import { createSandbox, type RecordedChange, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { virtualTime } from '../../src/sandbox/time.ts';
import { readWorkflowRecordings, requeueMs, type WorkflowStep } from './argo-workflows-replay.ts';

/** Two recordings hold sizes only; what was sent follows from them, to the byte. */
const messages: Readonly<Record<string, string | undefined>> = {
  'size-300-nodes': undefined,
  'size-300-nodes-long-messages': 'm'.repeat(3000),
};

for (const recording of readWorkflowRecordings().filter(({ case: name }) => name in messages)) {
  test(`${recording.case}: ${recording.what}`, async () => {
    const name = String(recording.steps[0]?.object?.metadata?.['name']);
    const changes = await play(name, messages[recording.case]);
    // The second report came while a look was under way that had read before it and wrote after it.
    const second = recording.steps.findLastIndex(({ actor }) => actor === 'agent');
    const recorded = recording.steps.toSpliced(second, 2, recording.steps[second + 1]!, recording.steps[second]!);
    expect(changes.map(measured)).toEqual(recorded.map(asRecorded));
  });
}

async function play(name: string, message: string | undefined): Promise<RecordedChange[]> {
  const time = virtualTime();
  const sandbox = createSandbox({ record: 'all', time, workflows: { requeueMs } });
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    const answer = await time.run(
      sandbox.handle({ method, path: `/apis/argoproj.io/v1alpha1/namespaces/argo/${path}`, headers, body: JSON.stringify(body) }),
    );
    expect(answer.status).toBeLessThan(300);
  };
  const report = (phase: string): Promise<void> => {
    const result = message === undefined ? { phase } : { phase, message };
    const nodes = Object.fromEntries(taskIds(sandbox).map((id) => [id, result]));
    return send('PATCH', `workflowtasksets/${name}/status`, { status: { nodes } });
  };
  await send('POST', 'workflows', workflow(name));
  await time.run(time.sleep(100));
  await report('Running');
  await time.run(time.sleep(4 * requeueMs));
  await report('Succeeded');
  await time.run(time.sleep(5 * requeueMs));
  sandbox.stop();
  return sandbox.changes.filter(({ object }) => object.kind === 'Workflow' || object.kind === 'WorkflowTaskSet');
}

function workflow(name: string): object {
  const tasks = Array.from({ length: 300 }, (_, index) => {
    const task = `t${String(index).padStart(3, '0')}`;
    return { name: task, template: 'act', arguments: { parameters: [{ name: 'app', value: task }] } };
  });
  const inputs = { parameters: [{ name: 'app' }] };
  const act = { name: 'act', inputs, plugin: { agent: { app: '{{inputs.parameters.app}}' } } };
  const spec = { entrypoint: 'main', templates: [{ name: 'main', dag: { tasks } }, act] };
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: { name, namespace: 'argo' }, spec };
}

function taskIds({ changes }: Sandbox): string[] {
  const { spec } = changes.findLast(({ object }) => object.kind === 'WorkflowTaskSet')?.object as unknown as {
    spec: { tasks: object };
  };
  return Object.keys(spec.tasks);
}

interface Status {
  readonly phase?: string;
  readonly progress?: string;
  readonly nodes?: object;
  readonly compressedNodes?: string;
}

const bytes = (value: unknown): number => JSON.stringify(value ?? {}).length;
const count = (fields: object | undefined): number => Object.keys(fields ?? {}).length;

function measured({ type, object, by }: RecordedChange): object {
  const spec = object['spec'] as { tasks?: object };
  const status = (object['status'] ?? {}) as Status;
  const isCompressed = status.compressedNodes !== undefined;
  return {
    by: by === workflowController,
    type,
    kind: object.kind,
    spec: bytes(spec),
    // How well gzip does depends on who wrote it, and on the messages.
    status: isCompressed ? 'compressed' : bytes(status),
    ...(object.kind === 'Workflow'
      ? { phase: status.phase, progress: status.progress, nodes: count(status.nodes), isCompressed }
      : { tasks: count(spec.tasks), nodes: count(status.nodes) }),
  };
}

function asRecorded({ actor, event, object }: WorkflowStep): object {
  const sizes = object?.['bytes'] as { spec: number; status: number };
  const status = (object?.['status'] ?? {}) as { phase: string | null; progress: string | null; nodes: number; compressedNodesUsed: boolean };
  return {
    by: actor === 'controller',
    type: event,
    kind: object?.kind,
    spec: sizes.spec,
    status: status.compressedNodesUsed ? 'compressed' : sizes.status,
    ...(object?.kind === 'Workflow'
      ? {
          phase: status.phase ?? undefined,
          progress: status.progress ?? undefined,
          nodes: status.nodes,
          isCompressed: status.compressedNodesUsed,
        }
      : { tasks: object?.['tasks'], nodes: object?.['statusNodes'] }),
  };
}
