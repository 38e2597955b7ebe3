import { expect } from 'vitest';
import { taskOf } from '../../src/core/workflow/task-name.ts';
import {
  createExitTemplate,
  failed,
  given,
  nodeNamed,
  openTasks,
  phases,
  readTaskSet,
  readWorkflow,
  recordWorkflow,
  say,
  submit,
  succeeded,
  task,
  untilNode,
  untilOver,
} from './argo-workflows.ts';
import { describeContract } from './describe-contract.ts';

/** Of both clusters. */
const requeueMs = 100;

describeContract('a Workflow of agent tasks', (behaves) => {
  behaves('asks agents for its first tasks at once, with their inputs filled in, and makes no pod', async (cluster) => {
    const name = await submit(cluster, 'first', { tasks: [task('a'), task('b'), task('c', 'a && b')] });
    await given(cluster, name, 'a');
    expect([...(await openTasks(cluster, name)).keys()].sort()).toEqual(['a', 'b']);
    const pods = `/api/v1/namespaces/argo/pods?labelSelector=workflows.argoproj.io%2Fworkflow%3D${name}`;
    expect((await cluster.client.get<{ items: unknown[] }>(pods))?.items).toEqual([]);
  });

  behaves('takes a result over at one look and asks for the next task at another: two requeues', async (cluster) => {
    const name = await submit(cluster, 'hop', { tasks: [task('a'), task('b', 'a.Succeeded')] });
    await given(cluster, name, 'a');
    const states = await recordWorkflow(cluster, name);
    const saidAt = cluster.clock.now();
    await say(cluster, name, { a: succeeded });
    await given(cluster, name, 'b');
    expect(cluster.clock.now() - saidAt).toBeGreaterThan(requeueMs);
    await untilNode(cluster, name, ['b', 'Pending']);
    const between = states.map(phases).filter(({ a, b }) => a === 'Succeeded' && b === undefined);
    expect(between).toHaveLength(1);
  });

  behaves('takes what has ended off the list of tasks, and ends with a mark on that list', async (cluster) => {
    const name = await submit(cluster, 'ends', { tasks: [task('a')] });
    await say(cluster, name, { a: { ...succeeded, message: 'Healthy' } });
    const over = await untilOver(cluster, name);
    expect([over.status?.phase, nodeNamed(over, 'a')?.message]).toEqual(['Succeeded', 'Healthy']);
    const { metadata, spec, status } = (await readTaskSet(cluster, name)) ?? {};
    expect([spec?.tasks ?? {}, status?.nodes ?? {}]).toEqual([{}, {}]);
    expect(metadata?.labels?.['workflows.argoproj.io/completed']).toBe('true');
  });

  behaves('omits what needed a failed task, also at one remove, and goes on with the rest', async (cluster) => {
    const tasks = [task('a'), task('b', 'a.Succeeded'), task('c', 'b.Succeeded'), task('x'), task('y', 'x.Succeeded')];
    const name = await submit(cluster, 'fails', { tasks });
    await say(cluster, name, { a: failed });
    await untilNode(cluster, name, ['c', 'Omitted']);
    await say(cluster, name, { x: succeeded });
    await say(cluster, name, { y: succeeded });
    const over = await untilOver(cluster, name);
    expect(phases(over)).toEqual({ a: 'Failed', b: 'Omitted', c: 'Omitted', x: 'Succeeded', y: 'Succeeded' });
    expect(over.status?.phase).toBe('Failed');
    expect(nodeNamed(over, 'b')).toMatchObject({ type: 'Skipped', message: 'omitted: depends condition not met' });
  });

  behaves('runs what only wanted to come later after a failed or an omitted task', async (cluster) => {
    const ended = (need: string): string =>
      `(${['Succeeded', 'Failed', 'Errored', 'Skipped', 'Omitted'].map((end) => `${need}.${end}`).join(' || ')})`;
    const tasks = [task('a'), task('b', 'a.Succeeded'), task('c', `${ended('a')} && ${ended('b')}`)];
    const name = await submit(cluster, 'soft', { tasks });
    await say(cluster, name, { a: failed });
    await say(cluster, name, { c: succeeded });
    const over = await untilOver(cluster, name);
    expect(phases(over)).toEqual({ a: 'Failed', b: 'Omitted', c: 'Succeeded' });
    // Its phase is that of the last tasks: who wants to know whether all went well must look at each.
    expect(over.status?.phase).toBe('Succeeded');
  });

  behaves('fails when only its exit handler fails, a step that refers to a cluster template', async (cluster) => {
    await createExitTemplate(cluster);
    const name = await submit(cluster, 'exit', { tasks: [task('a')], onExit: 'hand-over' });
    await say(cluster, name, { a: succeeded });
    await say(cluster, name, { exit: { phase: 'Failed', message: 'still held' } });
    const over = await untilOver(cluster, name);
    expect([over.status?.phase, phases(over)]).toEqual(['Failed', { a: 'Succeeded' }]);
    expect(nodeNamed(over, 'hand-over')).toMatchObject({ type: 'Plugin', phase: 'Failed', message: 'still held' });
    expect(nodeNamed(over, 'hand-over')?.name).toBe(`${name}.onExit[0].hand-over`);
  });

  behaves('runs its exit handler after a failure, too, and keeps what that one reports', async (cluster) => {
    await createExitTemplate(cluster);
    const name = await submit(cluster, 'exit', { tasks: [task('a')], onExit: 'hand-over' });
    await say(cluster, name, { a: failed });
    await say(cluster, name, { exit: { ...succeeded, outputs: result('handed over') } });
    const over = await untilOver(cluster, name);
    expect(over.status?.phase).toBe('Failed');
    expect(nodeNamed(over, 'hand-over')?.outputs).toEqual(result('handed over'));
  });

  behaves('shows what an agent says of a task that runs, and keeps it when it is taken back', async (cluster) => {
    const name = await submit(cluster, 'words', { tasks: [task('a')] });
    await say(cluster, name, { a: { phase: 'Running', message: 'syncing', outputs: result('half') } });
    await untilNode(cluster, name, ['a', 'Running']);
    await say(cluster, name, { a: null });
    // One look may be under way while it is taken back; after that there is nothing left to write.
    const quiet = await cluster.eventually('the Workflow is left alone', async () => {
      const before = await readWorkflow(cluster, name);
      await cluster.clock.sleep(5 * requeueMs);
      const { resourceVersion } = (await readWorkflow(cluster, name)).metadata;
      return before.metadata.resourceVersion === resourceVersion ? before : undefined;
    });
    const shown = { phase: 'Running', message: 'syncing', outputs: result('half') };
    expect(nodeNamed(quiet, 'a')).toMatchObject(shown);
    expect([...(await openTasks(cluster, name)).keys()]).toEqual(['a']);
    await say(cluster, name, { a: { ...succeeded, outputs: result('whole') } });
    expect(nodeNamed(await untilOver(cluster, name), 'a')).toMatchObject({ outputs: result('whole') });
  });

  behaves('knows an app a-b from the part b of an app a, and takes names with digits first', async (cluster) => {
    const [part, other, digit] = [taskOf('a#b'), taskOf('a-b'), taskOf('1x')];
    const tasks = [task(part), task(other), task(digit, `${part}.Succeeded && ${other}.Succeeded`)];
    const name = await submit(cluster, 'names', { tasks });
    await say(cluster, name, { [part]: succeeded });
    await untilNode(cluster, name, [part, 'Succeeded']);
    expect([...(await openTasks(cluster, name)).keys()]).toEqual([other]);
    await say(cluster, name, { [other]: succeeded });
    await say(cluster, name, { [digit]: succeeded });
    expect(phases(await untilOver(cluster, name))).toEqual({
      'a-PART-b': 'Succeeded',
      'a-b': 'Succeeded',
      'N-1x': 'Succeeded',
    });
  });
});

function result(value: string) {
  return { parameters: [{ name: 'result', value }] };
}
