import { describe, expect, it } from 'vitest';
import type { Plan, Step } from '../plan/plan.ts';
import type { RunEvent, RunEventBody } from './events.ts';
import { emptyRun, foldRun } from './fold-run.ts';
import type { Run } from './run.ts';

describe('foldRun', () => {
  it('knows every node of the plan as pending once the run has started', () => {
    const run = runAfter(started());
    expect([...run.nodes.values()].map(({ name, state }) => `${name} ${state}`)).toEqual(['a pending', 'b pending']);
    expect(run.startedAt).toBe(at(0));
  });

  it('tells what a node did when, with an end for every stage once it is over', () => {
    const run = runAfter(
      started(),
      { type: 'node-started', node: 'a', attempt: 1 },
      { type: 'operation-triggered', node: 'a', application: 'a', operationId: 'x' },
      { type: 'operation-finished', node: 'a', operationId: 'x', phase: 'Succeeded', message: 'ok' },
      { type: 'gate-progress', node: 'a', waitingFor: 'Healthy', health: 'Progressing' },
      { type: 'node-healthy', node: 'a', evidence: { health: 'Healthy' } },
    );
    expect(run.nodes.get('a')).toEqual({
      name: 'a',
      stack: 's',
      state: 'healthy',
      attempts: 1,
      waitedFor: [],
      health: 'Healthy',
      evidence: { health: 'Healthy' },
      startedAt: at(1),
      finishedAt: at(5),
      segments: [
        { stage: 'starting', from: at(1), to: at(2) },
        { stage: 'syncing', from: at(2), to: at(3) },
        { stage: 'gate', from: at(3), to: at(5) },
      ],
    });
  });

  it('forgets the sentence of a stage that is over', () => {
    const run = runAfter(
      started(),
      { type: 'node-started', node: 'a', attempt: 1 },
      { type: 'operation-progress', node: 'a', message: 'applying' },
      { type: 'operation-finished', node: 'a', operationId: 'x', phase: 'Succeeded', message: 'ok' },
    );
    expect(run.nodes.get('a')?.because).toBeUndefined();
  });

  it('counts the start of a node from its first attempt (R5.5)', () => {
    const run = runAfter(
      started(),
      { type: 'node-started', node: 'a', attempt: 1 },
      { type: 'node-retrying', node: 'a', attempt: 1, because: 'sync failed', delaySeconds: 10 },
      { type: 'node-started', node: 'a', attempt: 2 },
      { type: 'node-failed', node: 'a', because: 'sync failed', hint: 'mend it', attempts: 2, timedOut: false },
    );
    expect(run.nodes.get('a')).toMatchObject({ state: 'failed', startedAt: at(1), attempts: 2, hint: 'mend it' });
  });

  it('gives a blocked node its causes and no times (INV-4)', () => {
    const run = runAfter(started(), { type: 'node-blocked', node: 'b', by: ['z', 'a'] });
    const node = run.nodes.get('b');
    expect(node).toMatchObject({ state: 'blocked', blockedBy: ['a', 'z'] });
    expect(node?.finishedAt).toBeUndefined();
  });

  it('remembers everything a node ever waited for', () => {
    const run = runAfter(
      started(),
      { type: 'node-waiting', node: 'b', for: ['c', 'a'] },
      { type: 'node-waiting', node: 'b', for: ['c'] },
    );
    expect(run.nodes.get('b')?.waitedFor).toEqual(['a', 'c']);
  });

  it('keeps what is held until it is released', () => {
    const run = runAfter(
      started(),
      { type: 'hold-set', project: 'p', applications: ['a', 'b'] },
      { type: 'hold-released', project: 'p', applications: ['a'] },
    );
    expect([...run.held]).toEqual(['b']);
  });

  it('counts an orphan once although the node and the sweep both tell it', () => {
    const orphan = { object: 'ConfigMap data/x', because: 'no owner' };
    const run = runAfter(
      started(),
      { type: 'node-orphaned', node: 'a', because: 'left something', hint: 'delete it', orphans: [orphan] },
      { type: 'orphans', objects: [orphan, { object: 'Secret data/y', because: 'no owner' }] },
    );
    expect(run.orphans.map(({ object }) => object)).toEqual(['ConfigMap data/x', 'Secret data/y']);
    expect(run.nodes.get('a')?.state).toBe('orphaned');
  });

  it('shows a node that the plan does not know instead of losing its event', () => {
    const run = runAfter(started(), { type: 'node-removed', node: 'stranger', objects: 3 });
    expect(run.nodes.get('stranger')).toMatchObject({ state: 'removed', objects: 3 });
  });

  it('does not count a parent that is synced to create its children', () => {
    const run = runAfter(
      started(),
      { type: 'operation-triggered', node: 'root', application: 'root', operationId: 'x' },
      { type: 'operation-finished', node: 'root', operationId: 'x', phase: 'Succeeded', message: 'ok' },
    );
    expect([...run.nodes.keys()]).toEqual(['a', 'b']);
  });

  it('leaves the run before the event as it was', () => {
    const before = runAfter(started());
    foldRun(before, { at: at(9), type: 'node-started', node: 'a', attempt: 1 });
    expect(before.nodes.get('a')?.state).toBe('pending');
  });

  it('ends with the outcome and the exit code', () => {
    const run = runAfter(started(), { type: 'run-finished', outcome: 'partial', exitCode: 2 });
    expect(run).toMatchObject({ outcome: 'partial', exitCode: 2, finishedAt: at(1) });
  });
});

function runAfter(...bodies: readonly RunEventBody[]): Run {
  return bodies.map((body, index): RunEvent => ({ at: at(index), ...body })).reduce(foldRun, emptyRun);
}

function at(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function started(): RunEventBody {
  return { type: 'run-started', runId: 'r', plan: plan(), engine: 'embedded', order: 'edges', parallelism: 0 };
}

function plan(): Plan {
  const steps = [step('a', 1, []), step('b', 2, ['a'])];
  const waves = [['a'], ['b']];
  const basis = { kind: 'Plan', platform: 'p', action: 'deploy', scope: 'platform' } as const;
  return { ...basis, steps, waves, criticalPath: ['a', 'b'], problems: [] };
}

function step(node: string, wave: number, after: readonly string[]): Step {
  return { node, stack: 's', application: node, action: 'sync', reason: 'Application missing', after, edges: {}, wave };
}
