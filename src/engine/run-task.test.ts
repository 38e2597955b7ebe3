import { describe, expect, it } from 'vitest';
import type { RunEventBody } from '../core/run/events.ts';
import type { NodeState } from '../core/run/run.ts';
import { readReport } from '../core/workflow/step-report.ts';
import { virtualTime } from '../sandbox/time.ts';
import type { TaskOrder, TaskResult } from './agent-ports.ts';
import type { Emit } from './event-queue.ts';
import { OperatorError } from './operator-error.ts';
import type { RunHost } from './run-host.ts';
import { runTask } from './run-task.ts';

const healthy: RunEventBody = { type: 'node-healthy', node: 'a', evidence: { revision: '0123456789abcdef' } };
const failed: RunEventBody = {
  type: 'node-failed',
  node: 'a',
  because: 'the sync failed',
  hint: 'Mend it.',
  attempts: 1,
  timedOut: false,
};

describe('a task', () => {
  it('ends as its step did, with the last word for people and all events for us', async () => {
    const good = await done({ step: telling([healthy], 'healthy') });
    expect(good).toMatchObject({ phase: 'Succeeded', message: 'Healthy at 0123456789ab' });
    expect(readReport(good?.report)?.events).toMatchObject([healthy]);
    expect(await done({ step: telling([failed], 'failed') })).toMatchObject({
      phase: 'Failed',
      message: 'the sync failed. Mend it.',
    });
  });

  it('fails with what the operator must know, or with what it cannot do', async () => {
    const step = async (): Promise<NodeState> => {
      throw new OperatorError('a is not a step of run 1', { hint: 'Submit the plan again.' });
    };
    expect(await done({ step })).toMatchObject({
      phase: 'Failed',
      message: 'a is not a step of run 1. Submit the plan again.',
    });
    expect(await done({}, { do: 'dance', inputs: {} })).toMatchObject({ message: 'this agent cannot do “dance”' });
  });

  it('does not hide a bug of ours', async () => {
    const step = async (): Promise<NodeState> => {
      throw new TypeError('a bug');
    };
    await expect(done({ step })).rejects.toThrow('a bug');
  });

  it('of a stopped Workflow does not begin; one that was begun says that it was stopped', async () => {
    let begun = 0;
    const step = async (): Promise<NodeState> => {
      begun++;
      return 'running';
    };
    expect(await done({ step }, undefined, { stopped: AbortSignal.abort() })).toMatchObject({
      phase: 'Failed',
      message: 'stopped on request',
    });
    expect(begun).toBe(0);
    expect(await done({ step })).toMatchObject({ phase: 'Failed', message: 'stopped on request' });
  });

  it('says nothing at all when its agent is ended: somebody else will do it again', async () => {
    expect(await done({ step: telling([healthy], 'healthy') }, undefined, { signal: AbortSignal.abort() })).toBe(
      undefined,
    );
  });

  it('hands over even when the Workflow was stopped; what is not well stays held', async () => {
    const order = { do: 'hand-over', inputs: {} };
    const stopped = AbortSignal.abort();
    expect(await done({ handOver: async () => true }, order, { stopped })).toMatchObject({ phase: 'Succeeded' });
    expect(await done({ handOver: async () => false }, order, { stopped })).toMatchObject({
      phase: 'Failed',
      message: 'not everything is Healthy; what is not stays held',
    });
  });
});

function telling(events: readonly RunEventBody[], state: NodeState): RunHost['step'] {
  return async (_node, _inputs, tell: Emit) => {
    for (const event of events) tell(event);
    return state;
  };
}

const never = new AbortController().signal;

async function done(
  host: Partial<RunHost>,
  order: TaskOrder = { do: 'step', inputs: { node: 'a' } },
  { stopped = never, signal = never }: { readonly stopped?: AbortSignal; readonly signal?: AbortSignal } = {},
): Promise<TaskResult | undefined> {
  let result: TaskResult | undefined;
  const reporter = {
    progress: () => undefined,
    end: async (_id: string, end: TaskResult): Promise<void> => {
      result = end;
    },
  };
  const context = { host: host as RunHost, view: async () => undefined, stopped, reporter, clock: virtualTime() };
  await runTask(context, { id: 'id-1', order }, signal);
  return result;
}
