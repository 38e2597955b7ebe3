import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../core/run/events.ts';
import type { NodeState } from '../core/run/run.ts';
import { planWith, taskView, viewOf } from '../core/workflow/workflow.fixture.ts';
import type { WorkflowView } from '../core/workflow/workflow-view.ts';
import { virtualTime } from '../sandbox/time.ts';
import { followWorkflow } from './follow-workflow.ts';
import type { World } from './ports.ts';
import { tellRun } from './run-control.ts';

const plan = planWith({ a: {}, b: { a: 'hard' } });
const going = viewOf({ a: { phase: 'Running' } });
const well = viewOf({ a: { phase: 'Succeeded' }, b: { phase: 'Succeeded' } }, { phase: 'Succeeded' });

describe('following a Workflow', () => {
  it('ends with success when the Workflow did and every node is well', async () => {
    expect((await followed([going, well])).at(-1)).toMatchObject({ outcome: 'success', exitCode: 0 });
  });

  it('is partial when all is Healthy and the hand-over failed: what is held is not what was asked for', async () => {
    const handOver = taskView({ phase: 'Failed', message: 'forbidden' });
    const events = await followed([{ ...well, phase: 'Failed', handOver }]);
    expect(events.at(-1)).toMatchObject({ outcome: 'partial', exitCode: 2 });
    expect(warnings(events)).toEqual(['hand-over is not complete: forbidden']);
  });

  it.each([
    ['invalid spec: template reference x.step not found', 'Install charts/tiphys of this version'],
    ['workflowtasksets.argoproj.io is forbidden', 'lacks a right'],
    ['something else', 'Mend what the message names'],
  ])('says why a Workflow ended before it began: %s', async (message, hint) => {
    const events = await followed([viewOf({}, { phase: 'Error', message })]);
    expect(events.at(-1)).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(events.find(({ type }) => type === 'warning')).toMatchObject({
      message: `the Workflow ended in Error before anything was done: ${message}`,
      hint: expect.stringContaining(hint),
    });
  });

  it('says once that it is suspended, or waits for another Workflow', async () => {
    const suspended = { ...going, isSuspended: true };
    expect(warnings(await followed([suspended, suspended, well]))).toEqual(['Workflow argo/acme-1 is suspended']);
    const waiting = viewOf({}, { phase: 'Pending', message: 'Waiting for the lock' });
    expect(warnings(await followed([waiting, well]))).toEqual(['Workflow argo/acme-1 waits: Waiting for the lock']);
  });

  it('says that the controller has not looked at it for half a minute', async () => {
    const fresh = viewOf({}, { phase: '' });
    expect(warnings(await followed([fresh, fresh, well], { silent: true }))).toEqual([
      'Workflow argo/acme-1 was not looked at',
    ]);
    expect(warnings(await followed([fresh, fresh, well]))).toEqual([]);
  });

  it('says that nobody works on it only when it is silent and nobody keeps its lease', async () => {
    const views = [going, going, going, well];
    expect(warnings(await followed(views, { silent: true }))).toEqual([
      'Workflow argo/acme-1 has open tasks, and nobody works on them',
    ]);
    expect(warnings(await followed(views, { silent: true, holder: 'deploy-1@argo-workflows' }))).toEqual([]);
    expect(warnings(await followed(views))).toEqual([]);
  });

  it('stops the Workflow when it is stopped itself, and waits a minute for its end', async () => {
    const calls: string[] = [];
    const stop = AbortSignal.abort();
    const events = await followed([going, going, going, going], { silent: true, stop, calls });
    expect(calls).toEqual(['stop acme-1']);
    expect(events.at(-1)).toMatchObject({ outcome: 'failed', exitCode: 1 });
  });

  it('leaves somebody else’s run alone, and says nothing about its end', async () => {
    const calls: string[] = [];
    const events = await followed([going], { isForeign: true, stop: AbortSignal.abort(), calls });
    expect(calls).toEqual([]);
    expect(events.some(({ type }) => type === 'run-finished')).toBe(false);
  });
});

interface Following {
  /** Nothing moves: every look comes half a minute after the one before. */
  readonly silent?: boolean;
  readonly holder?: string;
  readonly stop?: AbortSignal;
  readonly isForeign?: boolean;
  readonly calls?: string[];
}

/** Follows these views, one after the other; the last one stays. */
function followed(views: readonly WorkflowView[], following: Following = {}): Promise<RunEvent[]> {
  const time = virtualTime();
  const { holder, calls = [], stop = new AbortController().signal } = following;
  let look = 0;
  const workflows: Partial<World['workflows']> = {
    read: async () => views[Math.min(look++, views.length - 1)],
    moved: (_view, until, signal) => time.sleep(following.silent === true ? until - time.now() : 100, signal),
    stop: async (name) => void calls.push(`stop ${name}`),
  };
  const lease = { holder: async () => (holder === undefined ? undefined : { holder, since: '', expiresAt: 0 }) };
  const world = { clock: time, workflows, lease } as unknown as World;
  const states = new Map<string, NodeState>();
  const { isForeign = false } = following;
  const order = { name: 'acme-1', namespace: 'argo', plan, mostTasks: 100, states, isForeign };
  const read = async (): Promise<RunEvent[]> => {
    const told: RunEvent[] = [];
    const events = tellRun(world, { stop, runTimeoutMs: undefined }, (control) =>
      followWorkflow(world, order, control),
    );
    for await (const event of events) told.push(event);
    return told;
  };
  return time.run(read());
}

function warnings(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
}
