import { describe, expect, it } from 'vitest';
import { type VirtualTime, virtualTime } from '../sandbox/time.ts';
import type { AgentWorld, TaskResult } from './agent-ports.ts';
import { OperatorError } from './operator-error.ts';
import { createTaskReporter, type TaskReporter } from './task-reporter.ts';

describe('the reporter of tasks', () => {
  it('says how it goes every two seconds at most, with the newest words, and takes old words back', async () => {
    const on = reporting();
    on.reporter.progress('a', () => running('one'));
    on.reporter.progress('a', () => running('two'));
    await on.sleep(1_900);
    expect(on.said).toEqual([]);
    await on.sleep(200);
    expect(on.said).toEqual(['2s a: Running two']);
    await on.sleep(2_000);
    // The controller copies what stands there at every look, and writes the Workflow each time.
    expect(on.said).toEqual(['2s a: Running two', '4s a: taken back']);
    await on.sleep(60_000);
    expect(on.said).toHaveLength(2);
    on.end();
  });

  it('says at once what has ended, in one write for all that end together', async () => {
    const on = reporting();
    on.reporter.progress('a', () => running('one'));
    const both = [on.reporter.end('a', done), on.reporter.end('b', done)];
    await on.time.run(Promise.all(both));
    expect(on.said).toEqual(['0s a: Succeeded , b: Succeeded ']);
    on.reporter.progress('c', () => running('three'));
    await on.sleep(5_000);
    expect(on.said.slice(1)).toEqual(['2s c: Running three', '4s c: taken back']);
    on.end();
  });

  it('never lets a word about the work follow the word about its end', async () => {
    const on = reporting();
    on.reporter.progress('a', () => running('one'));
    await on.sleep(2_100);
    await on.time.run(on.reporter.end('a', done));
    await on.sleep(10_000);
    expect(on.said).toEqual(['2s a: Running one', '2s a: Succeeded ']);
    on.end();
  });

  it('tries again until the cluster takes the end of a task, and logs why', async () => {
    const on = reporting(3);
    await on.time.run(on.reporter.end('a', done));
    expect(on.said).toEqual(['3s a: Succeeded ']);
    expect(on.log).toEqual(Array(3).fill('wf: no answer; trying again'));
    on.end();
  });

  it('gives up when it is ended, and a bug of ours is not swallowed', async () => {
    const on = reporting(1_000);
    const ending = on.reporter.end('a', done);
    await on.sleep(3_000);
    on.end();
    await on.time.run(ending);
    await on.time.run(on.reporter.close());
    expect(on.said).toEqual([]);
    const broken = reporting(new TypeError('a bug'));
    await expect(broken.time.run(broken.reporter.end('a', done))).rejects.toThrow('a bug');
    broken.end();
  });
});

const done: TaskResult = { phase: 'Succeeded', message: '', report: '' };

function running(message: string): TaskResult {
  return { phase: 'Running', message, report: '' };
}

interface Reporting {
  readonly reporter: TaskReporter;
  readonly time: VirtualTime;
  readonly said: string[];
  readonly log: string[];
  sleep(ms: number): Promise<void>;
  end(): void;
}

/** `trouble`: how many writes fail first, or what all of them throw. */
function reporting(trouble: number | Error = 0): Reporting {
  const time = virtualTime(0);
  const said: string[] = [];
  const log: string[] = [];
  let failures = 0;
  const report: AgentWorld['taskSets']['report'] = async (_workflow, results) => {
    if (trouble instanceof Error) throw trouble;
    if (failures++ < trouble) throw new OperatorError('no answer', { hint: '' });
    const words = [...results].map(([id, word]) => `${id}: ${word ? `${word.phase} ${word.message}` : 'taken back'}`);
    said.push(`${Math.floor(time.now() / 1000)}s ${words.join(', ')}`);
    return 'done';
  };
  const ending = new AbortController();
  const world = {
    taskSets: { report } as AgentWorld['taskSets'],
    clock: time,
    log: (sentence: string) => void log.push(sentence),
  };
  return {
    reporter: createTaskReporter(world, 'wf', ending.signal),
    time,
    said,
    log,
    sleep: (ms) => time.run(time.sleep(ms)),
    end: () => ending.abort(new Error('over')),
  };
}
