import { describe, expect, it } from 'vitest';
import type { RunEvent, RunEventBody } from '../run/events.ts';
import { writeReport } from './step-report.ts';
import { planWith, taskView, viewOf } from './workflow.fixture.ts';
import { type WorkflowTeller, workflowTeller } from './workflow-events.ts';

const plan = planWith({ a: {}, b: { a: 'hard' }, c: { b: 'hard' }, d: { a: 'soft' } });
const healthy: RunEventBody = { type: 'node-healthy', node: 'a', evidence: { revision: 'r1' } };
const failed: RunEventBody = {
  type: 'node-failed',
  node: 'a',
  because: 'no',
  hint: 'h',
  attempts: 2,
  timedOut: true,
};

describe('workflowTeller', () => {
  it('tells each event of a step once, in the order in which things happened', () => {
    const teller = workflowTeller(plan, new Map());
    const first = told(
      teller,
      viewOf({ d: { report: report(started('d', 3)) }, a: { report: report(started('a', 1)) } }),
    );
    expect(first.filter(isStart)).toEqual(['node-started a', 'node-started d']);
    expect(told(teller, viewOf({ a: { report: report(started('a', 1)) } })).filter(isStart)).toEqual([]);
    const last = viewOf({ a: { phase: 'Succeeded', report: report(started('a', 1), event(5, healthy)) } });
    expect(told(teller, last).filter((text) => text.endsWith(' a'))).toEqual(['node-healthy a']);
    expect(teller.states.get('a')).toBe('healthy');
    expect(told(teller, last)).toEqual([]);
  });

  it('goes on with the report of whoever took the step over, and keeps its evidence', () => {
    const teller = workflowTeller(plan, new Map());
    const before = [1, 2, 3, 4].map((second) => event(second, { type: 'operation-progress', node: 'a', message: 'm' }));
    teller.tell(viewOf({ a: { report: report(...before) } }));
    const heir = viewOf({ a: { phase: 'Succeeded', report: report(started('a', 60), event(61, healthy)) } });
    expect(teller.tell(heir)).toContainEqual(event(61, healthy));
  });

  it('takes the controller’s word for a pod that left no report, and says that there is no evidence', () => {
    const teller = workflowTeller(plan, new Map());
    const at = '2026-01-05T03:00:07Z';
    expect(told(teller, viewOf({ a: { startedAt: at } }))[0]).toBe('node-started a');
    const events = teller.tell(viewOf({ a: { phase: 'Succeeded', startedAt: at, finishedAt: at } }));
    expect(events[0]).toMatchObject({
      type: 'node-healthy',
      at,
      evidence: { notes: [expect.stringContaining('no evidence of its own')] },
    });
  });

  it.each([
    ['Failed', 'OOMKilled (exit code 137)', 'its step ended without a verdict: OOMKilled (exit code 137)', false],
    ['Error', '', 'its step ended without a verdict: Error', false],
    ['Failed', 'Step exceeded its deadline', 'its step ended without a verdict: Step exceeded its deadline', true],
  ])(
    'calls a step that ended %s (“%s”) without a verdict failed, as what it is',
    (phase, message, because, timedOut) => {
      const teller = workflowTeller(plan, new Map());
      expect(teller.tell(viewOf({ a: { phase, message } }))[0]).toMatchObject({
        type: 'node-failed',
        because,
        timedOut,
      });
      expect(teller.states.get('b')).toBe('blocked');
    },
  );

  it('calls exactly the hard dependents of a failure blocked, by its cause, and lets soft ones run (INV-4)', () => {
    const teller = workflowTeller(plan, new Map());
    const view = viewOf({
      a: { phase: 'Failed', report: report(started('a', 1), event(2, failed)) },
      b: { phase: 'Omitted' },
      c: { phase: 'Omitted' },
      d: { phase: 'Pending' },
    });
    const events = teller.tell(view);
    expect(events.filter(({ type }) => type === 'node-failed')).toEqual([event(2, failed)]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'node-blocked', node: 'c', by: ['a'] }));
    expect(Object.fromEntries(teller.states)).toEqual({ a: 'failed', b: 'blocked', c: 'blocked' });
  });

  it('neither fails nor heals a step that was ended from outside', () => {
    const teller = workflowTeller(plan, new Map());
    const phase = 'Failed';
    const stopped = viewOf({ a: { phase, message: "Stopped with strategy 'Stop'" } }, { shutdown: 'Stop' });
    expect(teller.tell(stopped).filter(({ type }) => type === 'node-failed')).toEqual([]);
    expect(teller.states.get('b')).toBeUndefined();
  });

  it('tells what a node waits for once, as long as it is the same', () => {
    const teller = workflowTeller(plan, new Map([['a', 'skipped'] as const]));
    expect(told(teller, viewOf({}))).toEqual(['node-waiting c']);
    expect(told(teller, viewOf({}))).toEqual([]);
  });

  it('tells what the hand-over did, and a node that it found ill at the end is a failed one (R7.6)', () => {
    const teller = workflowTeller(plan, new Map());
    teller.tell(viewOf({ a: { phase: 'Succeeded', report: report(event(2, healthy)) } }));
    const handOver = taskView({ phase: 'Failed', report: report(event(9, failed)) });
    expect(teller.tell(viewOf({}, { handOver }))).toContainEqual(event(9, failed));
    expect(teller.states.get('a')).toBe('failed');
  });
});

function event(second: number, body: RunEventBody): RunEvent {
  return { at: new Date(Date.UTC(2026, 0, 5, 3, 0, second)).toISOString(), ...body };
}

function started(node: string, second: number): RunEvent {
  return event(second, { type: 'node-started', node, attempt: 1 });
}

function report(...events: RunEvent[]): string {
  return writeReport(events);
}

function told(teller: WorkflowTeller, view: Parameters<WorkflowTeller['tell']>[0]): string[] {
  return teller.tell(view).map((each) => `${each.type} ${'node' in each ? each.node : ''}`);
}

function isStart(text: string): boolean {
  return text.startsWith('node-started');
}
