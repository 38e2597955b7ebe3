import { expect } from 'vitest';
import { ApiError } from '../../src/adapters/kubernetes/errors.ts';
import {
  createExitTemplate,
  failed,
  given,
  nodeNamed,
  openTasks,
  phases,
  readTaskSet,
  readWorkflow,
  type SeenWorkflow,
  say,
  submit,
  succeeded,
  task,
  untilNode,
  untilOver,
  workflowPath,
} from './argo-workflows.ts';
import type { ContractCluster } from './cluster.ts';
import { describeContract } from './describe-contract.ts';

describeContract('a Workflow that somebody ends, blocks or takes up again', (behaves) => {
  behaves(
    'waits, when it is stopped, for a task whose agent has a word standing, and takes its result',
    async (cluster) => {
      const name = await withExit(cluster);
      await say(cluster, name, { a: { phase: 'Running', message: 'syncing' } });
      await untilNode(cluster, name, ['a', 'Running']);
      await shutDown(cluster, name, 'Stop');
      await say(cluster, name, { a: { ...failed, message: 'stopped on request' } });
      await say(cluster, name, { exit: succeeded });
      const over = await untilOver(cluster, name);
      expect([over.status?.phase, over.status?.message]).toEqual(['Failed', "Stopped with strategy 'Stop'"]);
      expect(nodeNamed(over, 'a')).toMatchObject({ phase: 'Failed', message: 'stopped on request' });
    },
  );

  behaves(
    'fails, when it is stopped, a task of which no word stands, and still runs its exit handler',
    async (cluster) => {
      const name = await withExit(cluster);
      await given(cluster, name, 'a');
      await shutDown(cluster, name, 'Stop');
      await say(cluster, name, { exit: succeeded });
      const over = await untilOver(cluster, name);
      expect(nodeNamed(over, 'a')).toMatchObject({ phase: 'Failed', message: "Stopped with strategy 'Stop'" });
      expect(nodeNamed(over, 'hand-over')).toMatchObject({ phase: 'Succeeded' });
      expect(over.status?.phase).toBe('Failed');
    },
  );

  behaves('is over at once when it is terminated, without its exit handler', async (cluster) => {
    const name = await withExit(cluster);
    await say(cluster, name, { a: { phase: 'Running', message: 'syncing' } });
    await untilNode(cluster, name, ['a', 'Running']);
    await shutDown(cluster, name, 'Terminate');
    const over = await untilOver(cluster, name);
    expect([over.status?.phase, over.status?.message]).toEqual(['Failed', "Stopped with strategy 'Terminate'"]);
    expect(nodeNamed(over, 'hand-over')).toBeUndefined();
    const set = await readTaskSet(cluster, name);
    expect([set?.spec?.tasks, set?.metadata.labels?.['workflows.argoproj.io/completed']]).toEqual([{}, 'true']);
  });

  behaves('waits while another one holds its mutex, says so, and begins when that one is over', async (cluster) => {
    const synchronization = { mutexes: [{ name: cluster.named('platform') }] };
    const first = await submit(cluster, 'first', { tasks: [task('a')], synchronization });
    await given(cluster, first, 'a');
    const second = await submit(cluster, 'second', { tasks: [task('a')], synchronization });
    const waiting = await cluster.eventually('the second one waits', async () => {
      const seen = await readWorkflow(cluster, second);
      return seen.status?.phase === 'Pending' ? seen : undefined;
    });
    expect(waiting.status?.message).toBe(`Waiting for argo/Mutex/${cluster.named('platform')} lock. Lock status: 0/1`);
    expect((await openTasks(cluster, second)).size).toBe(0);
    await say(cluster, first, { a: succeeded });
    await say(cluster, second, { a: succeeded });
    expect((await untilOver(cluster, second)).status?.phase).toBe('Succeeded');
  });

  behaves('gives its mutex back when it is deleted, and takes its tasks with it', async (cluster) => {
    const synchronization = { mutexes: [{ name: cluster.named('platform') }] };
    const first = await submit(cluster, 'first', { tasks: [task('a')], synchronization });
    const id = await given(cluster, first, 'a');
    const second = await submit(cluster, 'second', { tasks: [task('a')], synchronization });
    await cluster.client.delete(workflowPath(first));
    const late = { status: { nodes: { [id]: succeeded } } };
    const path = `/apis/argoproj.io/v1alpha1/namespaces/argo/workflowtasksets/${first}/status`;
    // A controller that was at work on the Workflow writes its tasks once more; the collector takes those away too.
    await cluster.eventually('its tasks are gone, and an answer to one is refused', async () => {
      const answered = await cluster.client.mergePatch(path, late).catch((error: unknown) => error);
      return answered instanceof ApiError && answered.status === 404;
    });
    await given(cluster, second, 'a');
  });

  behaves('does what failed once more when it is edited as `argo retry` does, and nothing else', async (cluster) => {
    await createExitTemplate(cluster);
    const tasks = [task('a'), task('b', 'a.Succeeded'), task('c', 'b.Succeeded')];
    const name = await submit(cluster, 'again', { tasks, onExit: 'hand-over' });
    await say(cluster, name, { a: succeeded });
    await say(cluster, name, { b: failed });
    await say(cluster, name, { exit: failed });
    await retry(cluster, await untilOver(cluster, name));
    await say(cluster, name, { b: succeeded });
    await say(cluster, name, { c: succeeded });
    await say(cluster, name, { exit: succeeded });
    const over = await untilOver(cluster, name);
    expect([over.status?.phase, phases(over)]).toEqual([
      'Succeeded',
      { a: 'Succeeded', b: 'Succeeded', c: 'Succeeded' },
    ]);
  });

  behaves('fails before it begins when the template of its exit handler is not in the cluster', async (cluster) => {
    const name = await submit(cluster, 'missing', { tasks: [task('a')], onExit: 'hand-over' });
    const over = await untilOver(cluster, name);
    const missing = `template reference ${cluster.named('contract')}.exit not found`;
    expect(over.status?.message).toBe(`invalid spec: templates.hand-over.steps[0].hand-over ${missing}`);
    expect([over.status?.phase, over.status?.nodes ?? {}]).toEqual(['Failed', {}]);
  });
});

async function withExit(cluster: ContractCluster): Promise<string> {
  await createExitTemplate(cluster);
  return submit(cluster, 'stopped', { tasks: [task('a'), task('b', 'a.Succeeded')], onExit: 'hand-over' });
}

async function shutDown(cluster: ContractCluster, name: string, shutdown: 'Stop' | 'Terminate'): Promise<void> {
  await cluster.client.mergePatch(workflowPath(name), { spec: { shutdown } });
}

/** What the program `argo` writes: what failed and what came after it is forgotten, what holds it runs again. */
async function retry(cluster: ContractCluster, { metadata, status }: SeenWorkflow): Promise<void> {
  const nodes = Object.values(status?.nodes ?? {});
  const changed = nodes.map((node) => {
    if (node.name === metadata.name) return [node.id, { phase: 'Running', finishedAt: null, message: null }];
    return [node.id, node.phase === 'Succeeded' && !node.name.includes('.onExit') ? {} : null];
  });
  await cluster.client.mergePatch(workflowPath(metadata.name), {
    metadata: { labels: { 'workflows.argoproj.io/completed': null } },
    spec: { shutdown: null },
    status: { phase: null, message: null, finishedAt: null, nodes: Object.fromEntries(changed) },
  });
}
