import { describe, expect, it } from 'vitest';
import type { WorkflowView } from '../core/workflow/workflow-view.ts';
import { virtualTime } from '../sandbox/time.ts';
import { OperatorError } from './operator-error.ts';
import type { LeaseAnswer, World } from './ports.ts';
import { type RunControl, tellRun, withLease } from './run-control.ts';

describe('tellRun', () => {
  it('tells everything, in order, also to a reader who is slower than the run', async () => {
    const { world, time } = worldOf();
    const told: string[] = [];
    const read = async (): Promise<void> => {
      const events = tellRun(world, noLimits(), async ({ emit }) => {
        emit({ type: 'phase-started', phase: 'observe', message: 'one' });
        await time.sleep(10);
        emit({ type: 'phase-started', phase: 'run', message: 'two' });
        emit({ type: 'run-finished', outcome: 'success', exitCode: 0 });
      });
      for await (const event of events) {
        told.push(event.type === 'phase-started' ? event.message : event.type);
        await time.sleep(1_000);
      }
    };
    await time.run(read());
    expect(told).toEqual(['one', 'two', 'run-finished']);
  });

  it('throws what the run threw, after the events before it', async () => {
    const { world, time } = worldOf();
    const told: string[] = [];
    const read = async (): Promise<void> => {
      const events = tellRun(world, noLimits(), async ({ emit }) => {
        emit({ type: 'phase-started', phase: 'observe', message: 'one' });
        throw new Error('a bug');
      });
      for await (const event of events) told.push(event.type);
    };
    await expect(time.run(read())).rejects.toThrow('a bug');
    expect(told).toEqual(['phase-started']);
  });

  it('aborts the run at its time-out, and says that it was the time-out', async () => {
    const { world, time } = worldOf();
    let seen: RunControl | undefined;
    const events = tellRun(world, { ...noLimits(), runTimeoutMs: 90_000 }, async (control) => {
      seen = control;
      await time.sleep(3_600_000, control.stop).catch(() => undefined);
    });
    expect((await collect(time, events))[0]).toMatchObject({ because: 'the run’s time-out of 90 s was reached' });
    expect(seen?.timedOut()).toBe(true);
  });
});

describe('withLease', () => {
  it('gives the lease back, whatever happened in between', async () => {
    const { world, time, calls } = worldOf();
    await collect(
      time,
      tellRun(world, noLimits(), (control) => withLease(world, control, 'run-1', async () => undefined)),
    );
    expect(calls).toEqual(['take run-1', 'give run-1']);
    calls.length = 0;
    const broken = tellRun(world, noLimits(), (control) =>
      withLease(world, control, 'run-1', async () => {
        throw new Error('a bug');
      }),
    );
    await expect(collect(time, broken)).rejects.toThrow('a bug');
    expect(calls).toEqual(['take run-1', 'give run-1']);
  });

  it.each([
    [1, 1],
    [3, 3],
  ] as const)(
    'ends a run that has begun with a report: what the operator must mend is exit code %i',
    async (exitCode, expected) => {
      const { world, time } = worldOf();
      const events = await collect(
        time,
        tellRun(world, noLimits(), (control) =>
          withLease(world, control, 'run-1', async () => {
            throw new OperatorError('cannot go on', { hint: 'mend it', exitCode });
          }),
        ),
      );
      expect(events.slice(1)).toEqual([
        { at: expect.any(String), type: 'warning', message: 'cannot go on', hint: 'mend it' },
        { at: expect.any(String), type: 'run-finished', outcome: 'failed', exitCode: expected },
      ]);
    },
  );

  it('does not work without the lease, and names who has it', async () => {
    const { world, time, calls } = worldOf({
      taken: false,
      by: { holder: 'run-0', since: 'yesterday', expiresAt: Number.MAX_SAFE_INTEGER },
    });
    const events = tellRun(world, noLimits(), (control) =>
      withLease(world, control, 'run-1', async () => void calls.push('work')),
    );
    await expect(collect(time, events)).rejects.toThrow('another run holds the lease: run-0, since yesterday');
    expect(calls).toEqual(['take run-1']);
  });

  it('does not begin beside a Workflow, whose lease nobody may be renewing (INV-2)', async () => {
    const { world, time, calls } = worldOf({ taken: true }, [
      { name: 'p-deploy-0', namespace: 'argo', phase: 'Failed', createdAt: 'before', labels: {} },
      { name: 'p-deploy-1', namespace: 'argo', phase: 'Running', createdAt: 'yesterday', labels: {} },
    ]);
    const events = tellRun(world, noLimits(), (control) => withLease(world, control, 'run-1', async () => undefined));
    await expect(collect(time, events)).rejects.toThrow(
      'another run is going: Workflow argo/p-deploy-1, since yesterday',
    );
    expect(calls).toEqual([]);
  });

  it('leaves the lease to the Workflow that goes on', async () => {
    const { world, time, calls } = worldOf();
    const events = tellRun(world, noLimits(), (control) =>
      withLease(world, control, 'run-1', async () => control.leaveLease()),
    );
    await collect(time, events);
    expect(calls).toEqual(['take run-1']);
  });
});

function noLimits(): { stop: AbortSignal; runTimeoutMs: undefined } {
  return { stop: new AbortController().signal, runTimeoutMs: undefined };
}

type Time = ReturnType<typeof virtualTime>;

async function all(events: ReturnType<typeof tellRun>) {
  const told = [];
  for await (const event of events) told.push(event);
  return told;
}

function collect(time: Time, events: ReturnType<typeof tellRun>) {
  return time.run(all(events));
}

function worldOf(
  answer: LeaseAnswer = { taken: true },
  workflows: readonly Partial<WorkflowView>[] = [],
): { world: World; time: Time; calls: string[] } {
  const time = virtualTime();
  const calls: string[] = [];
  const lease: World['lease'] = {
    take: async (holder) => {
      calls.push(`take ${holder}`);
      return answer;
    },
    keep: (_holder, _lost, signal) => time.sleep(3_600_000, signal).catch(() => undefined),
    give: async (holder) => void calls.push(`give ${holder}`),
    holder: async () => undefined,
  };
  // Only what a run needs to know about itself; Argo CD is not asked here.
  const known = { all: async () => workflows };
  return { world: { clock: time, lease, workflows: known } as unknown as World, time, calls };
}
