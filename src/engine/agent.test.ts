import { describe, expect, it } from 'vitest';
import { viewOf } from '../core/workflow/workflow.fixture.ts';
import { virtualTime } from '../sandbox/time.ts';
import { runAgent } from './agent.ts';
import type { AgentWorld, TaskSet } from './agent-ports.ts';
import { OperatorError } from './operator-error.ts';

const task = new Map([['id-1', { do: 'step', inputs: { node: 'a' } }]]);
const open: TaskSet = { workflow: 'wf', isCompleted: false, tasks: task };

describe('the agent', () => {
  it('fails the tasks of a Workflow whose run it cannot read, with a sentence', async () => {
    const on = agent([open]);
    await on.sleep(1_000);
    expect(on.reported).toEqual(['id-1 Failed this Workflow carries no run of Tiphys (parameter `run`)']);
    await on.end();
  });

  it('leaves Workflows alone that are complete, or have no task for it', async () => {
    const on = agent([
      { ...open, isCompleted: true },
      { ...open, workflow: 'other', tasks: new Map() },
    ]);
    await on.sleep(60_000);
    expect([on.read, on.reported]).toEqual([0, []]);
    await on.end();
  });

  it('stands by while another one works, and works when that one is gone', async () => {
    const on = agent([open], { leaderUntil: 60_000 });
    await on.sleep(50_000);
    expect([on.log, on.reported]).toEqual([['agent-other works; this agent stands by'], []]);
    await on.sleep(20_000);
    expect(on.reported).toHaveLength(1);
    await on.end();
  });

  it('stops working when it has lost the lead, and asks for it again', async () => {
    const on = agent([], { loseAfter: 10_000 });
    await on.sleep(15_000);
    expect(on.log.slice(0, 3)).toEqual(['this agent works from now on', 'lost', 'this agent works from now on']);
    await on.end();
  });

  it('tells how it stands: by, at work, or waiting for the cluster', async () => {
    const on = agent([], { leaderUntil: 10_000, loseAfter: 10_000 });
    await on.sleep(25_000);
    expect(on.standings).toEqual(['stands by', 'works', 'waits for the cluster', 'works']);
    await on.end();
  });

  it('gives the lead back when it is ended, and ends', async () => {
    const on = agent([open]);
    await on.sleep(1_000);
    await on.end();
    expect(on.calls).toEqual(['take', 'give']);
  });

  it('ends with a bug of ours instead of living on with it', async () => {
    const on = agent([open], { bug: new TypeError('a bug') });
    await expect(on.time.run(on.ended)).rejects.toThrow('a bug');
    expect(on.calls).toEqual(['take', 'give']);
  });
});

interface Trouble {
  readonly leaderUntil?: number;
  readonly loseAfter?: number;
  readonly bug?: Error;
}

function agent(sets: readonly TaskSet[], trouble: Trouble = {}) {
  const time = virtualTime(0);
  const ending = new AbortController();
  const on = {
    reported: [] as string[],
    log: [] as string[],
    standings: [] as string[],
    calls: [] as string[],
    read: 0,
  };
  const never = (signal: AbortSignal): Promise<void> => time.sleep(Number.MAX_SAFE_INTEGER, signal);
  const taskSets: AgentWorld['taskSets'] = {
    version: 1,
    ready: async () => undefined,
    all: () => sets,
    moved: (_version, signal) => never(signal),
    unpack: (run) => run,
    async report(_workflow, results) {
      for (const [id, word] of results) on.reported.push(`${id} ${word?.phase} ${word?.message}`);
      return 'done';
    },
    async workflow() {
      on.read++;
      if (trouble.bug !== undefined) throw trouble.bug;
      return viewOf({});
    },
  };
  const holder = { holder: 'agent-other', since: '', expiresAt: 0 };
  const leadership: AgentWorld['leadership'] = {
    async take() {
      if (time.now() < (trouble.leaderUntil ?? 0)) return { taken: false, by: holder };
      on.calls.push('take');
      return { taken: true };
    },
    async keep(_name, lost, signal) {
      await time.sleep(trouble.loseAfter ?? Number.MAX_SAFE_INTEGER, signal).then(
        () => lost('lost'),
        () => undefined,
      );
    },
    give: async () => void on.calls.push('give'),
    holder: async () => undefined,
  };
  const world: AgentWorld = {
    clock: time,
    taskSets,
    leadership,
    newId: () => '1',
    connect: () => {
      throw new OperatorError('not here', { hint: '' });
    },
    log: (sentence) => void on.log.push(sentence),
    stands: (now) => {
      if (on.standings.at(-1) !== now) on.standings.push(now);
    },
  };
  const ended = runAgent(world, ending.signal);
  ended.catch(() => undefined);
  return Object.assign(on, {
    time,
    ended,
    sleep: (ms: number) => time.run(time.sleep(ms)),
    async end() {
      ending.abort(new Error('over'));
      await time.run(ended);
    },
  });
}
