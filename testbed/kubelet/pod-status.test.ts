import { describe, expect, it } from 'vitest';
import { podOf } from './pod.fixture.ts';
import type { Pod } from './pod.ts';
import { type Life, podStatus } from './pod-status.ts';

const [then, now] = ['2026-01-01T00:00:10Z', '2026-01-01T00:00:20Z'];

describe('the status of a pod', () => {
  it('is Running and not Ready until what it runs has answered, and keeps what the scheduler wrote', () => {
    const pod = living(podOf('one'), { state: 'running', isReady: false, restarts: 0 }, then);
    expect(pod.status).toMatchObject({ phase: 'Running', podIP: expect.stringMatching(/^10\.1\.\d+\.\d+$/) });
    expect(conditions(pod)).toEqual({
      PodScheduled: 'True 2026-01-01T00:00:00Z',
      Initialized: `True ${then}`,
      ContainersReady: `False ${then}`,
      Ready: `False ${then}`,
    });
    const ready = living(pod, { state: 'running', isReady: true, restarts: 0 }, now);
    expect(conditions(ready)).toMatchObject({ Initialized: `True ${then}`, Ready: `True ${now}` });
    expect(ready.status?.podIP).toBe(pod.status?.podIP);
  });

  it('is written once for every change', () => {
    const lives: Life[] = [
      { state: 'waiting', reason: 'CreateContainerConfigError', message: 'secret "x" not found', restarts: 0 },
      { state: 'waiting', reason: 'CreateContainerConfigError', message: 'secret "y" not found', restarts: 0 },
      { state: 'running', isReady: false, restarts: 0 },
      { state: 'running', isReady: true, restarts: 0 },
      { state: 'waiting', reason: 'CrashLoopBackOff', message: 'panic', restarts: 1 },
      { state: 'running', isReady: true, restarts: 1 },
    ];
    let pod = podOf('one');
    for (const life of lives) {
      pod = living(pod, life, then);
      expect(podStatus(pod, life, now)).toBeUndefined();
    }
  });

  it('says why it waits, and that it ran before', () => {
    const waiting = { state: 'waiting', reason: 'CreateContainerConfigError', message: 'no', restarts: 0 } as const;
    expect(living(podOf('one'), waiting, now).status?.phase).toBe('Pending');
    const ran = living(podOf('one'), { state: 'running', isReady: true, restarts: 0 }, then);
    const crashed = living(ran, { ...waiting, reason: 'CrashLoopBackOff', restarts: 1 }, now);
    expect(crashed.status).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ ready: false, restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
    });
    expect(conditions(crashed)).toMatchObject({ Ready: `False ${now}` });
  });

  it('ends with a Job’s program, well or not', () => {
    const phase = (exitCode: number) =>
      living(podOf('one'), { state: 'ended', exitCode, restarts: 0 }, now).status?.phase;
    expect([phase(0), phase(1)]).toEqual(['Succeeded', 'Failed']);
  });
});

/** As the API server keeps it: what a merge patch names is replaced. */
function living(pod: Pod, life: Life, at: string): Pod {
  const patch = podStatus(pod, life, at);
  return patch === undefined ? pod : { ...pod, status: { ...pod.status, ...patch } };
}

function conditions({ status }: Pod): Record<string, string> {
  const all = status?.conditions ?? [];
  return Object.fromEntries(
    all.map(({ type, status: word, lastTransitionTime }) => [type, `${word} ${lastTransitionTime}`]),
  );
}
