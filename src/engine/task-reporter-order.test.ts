import { describe, expect, it } from 'vitest';
import { virtualTime } from '../sandbox/time.ts';
import type { TaskResult, TaskSets } from './agent-ports.ts';
import { createTaskReporter } from './task-reporter.ts';

describe('what an agent tells the controller', () => {
  it('never lets a slow word about a running task arrive after the end of that task', async () => {
    const time = virtualTime();
    const arrived: string[] = [];
    const report: TaskSets['report'] = async (_workflow, results) => {
      const [result] = results.values();
      // The word is long under way, the end is not.
      await time.sleep(result?.phase === 'Running' ? 500 : 10);
      arrived.push(result?.phase ?? 'taken back');
      return 'done';
    };
    const ending = new AbortController();
    const world = { taskSets: { report } as TaskSets, clock: time, log: () => undefined };
    await time.run(
      (async () => {
        const reporter = createTaskReporter(world, 'workflow', ending.signal);
        reporter.progress('a', () => said('Running'));
        await time.sleep(2_100);
        await reporter.end('a', said('Succeeded'));
        ending.abort(new Error('the Workflow is over'));
        await reporter.close();
      })(),
    );
    expect(arrived).toEqual(['Running', 'Succeeded']);
  });
});

function said(phase: TaskResult['phase']): TaskResult {
  return { phase, message: '', report: '' };
}
