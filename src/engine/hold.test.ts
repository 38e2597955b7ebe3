import { expect, it } from 'vitest';
import { healthy } from '../core/plan/observed.fixture.ts';
import type { RunEvent } from '../core/run/events.ts';
import { virtualTime } from '../sandbox/time.ts';
import { createHold } from './hold.ts';
import { OperatorError } from './operator-error.ts';
import type { World } from './ports.ts';

const never = new AbortController().signal;

it('holds in `default` first, because the parents live there, and releases there last', async () => {
  const on = projects({ default: [], a: [], b: [] });
  await on.run(on.hold.add(['x'], never));
  await on.run(on.hold.release(['x'], never));
  expect(on.written).toEqual(['default: x', 'a: x', 'b: x', 'a: ', 'b: ', 'default: ']);
});

it('does not write a window again only because an Application turned out to belong elsewhere', async () => {
  const on = projects({ default: [], a: [] });
  await on.run(on.hold.add(['x', 'y'], never));
  on.appears('x', 'a');
  await on.run(on.hold.cover(never));
  expect(on.written).toEqual(['default: x y', 'a: x y']);
  // With the next release it goes.
  await on.run(on.hold.release(['y'], never));
  expect(on.written.slice(2)).toEqual(['a: x', 'default: ']);
});

it('puts back what somebody took away, beside the work of whoever asks', async () => {
  const on = projects({ default: [] });
  await on.run(on.hold.add(['x'], never));
  on.windows.set('default', []);
  await on.run(on.hold.coverNowAndThen(never));
  expect(on.written).toHaveLength(1);
  await on.run(on.time.sleep(30_000));
  const asked = on.time.now();
  await on.run(on.hold.coverNowAndThen(never));
  expect([on.time.now() - asked, on.written.length]).toEqual([0, 1]);
  await on.run(on.time.sleep(1_000));
  expect(on.written).toEqual(['default: x', 'default: x']);
});

it('is waited for when it was not written for a while, and tells why it cannot be', async () => {
  const on = projects({ default: [] });
  await on.run(on.hold.add(['x'], never));
  await on.run(on.time.sleep(90_000));
  on.refuse();
  await expect(on.run(on.hold.coverNowAndThen(never))).rejects.toThrow('forbidden');
});

it('releases after what is being written, so that nobody is held again', async () => {
  const on = projects({ default: [] });
  await on.run(on.hold.add(['x', 'y'], never));
  on.windows.set('default', []);
  await on.run(on.time.sleep(30_000));
  const covering = on.hold.coverNowAndThen(never);
  await on.run(Promise.all([covering, on.hold.release(['x'], never)]));
  expect(on.windows.get('default')).toEqual(['y']);
});

it('is settled only when what goes on beside the work is written', async () => {
  const on = projects({ default: [] });
  await on.run(on.hold.add(['x'], never));
  on.windows.set('default', []);
  await on.run(on.time.sleep(30_000));
  await on.run(on.hold.coverNowAndThen(never));
  expect(on.windows.get('default')).toEqual([]);
  await on.run(on.hold.settled());
  expect(on.windows.get('default')).toEqual(['x']);
});

it('is kept: an AppProject that is new, or from which somebody took the window, has it a moment later (INV-1)', async () => {
  const on = projects({ default: [] });
  await on.run(on.hold.add(['x'], never));
  const over = new AbortController();
  const kept = on.hold.keep(over.signal);
  on.change('team', []);
  await on.run(on.time.sleep(300));
  on.change('default', []);
  await on.run(on.time.sleep(500));
  expect(on.written).toEqual(['default: x', 'team: x', 'default: x']);
  over.abort(new Error('the plan was walked'));
  await on.run(kept);
  on.change('default', []);
  await on.run(on.time.sleep(60_000));
  expect(on.windows.get('default')).toEqual([]);
});

it('is tried again when it cannot be written, but not without a pause', async () => {
  const on = projects({ default: [] });
  await on.run(on.hold.add(['x'], never));
  on.refuse();
  const over = new AbortController();
  const kept = on.hold.keep(over.signal);
  on.change('team', []);
  const before = on.looks();
  await on.run(on.time.sleep(60_000));
  expect(on.looks() - before).toBe(12);
  over.abort(new Error('the plan was walked'));
  await on.run(kept);
});

it('is not believed to be kept when nothing can be watched: it is told, and nothing begins any more', async () => {
  const on = projects({ default: [] });
  await on.run(on.hold.add(['x'], never));
  on.refuseWatch();
  const kept = on.hold.keep(never);
  await expect(on.run(on.hold.coverNowAndThen(never))).rejects.toThrow('could not watch');
  await on.run(kept);
  expect(on.told).toContainEqual(expect.objectContaining({ type: 'warning', message: 'could not watch' }));
  await expect(on.run(on.hold.coverNowAndThen(never))).rejects.toThrow('could not watch');
});

/** AppProjects with what our window names in each; every request takes a tenth of a second. */
function projects(names: Readonly<Record<string, readonly string[]>>) {
  const time = virtualTime();
  const windows = new Map(Object.entries(names));
  const written: string[] = [];
  const homes = new Map<string, string>();
  const told: RunEvent[] = [];
  let looks = 0;
  let isRefused = false;
  let isUnwatched = false;
  let rung: () => void = () => undefined;
  const argocd: Partial<World['argocd']> = {
    application: (name) => {
      const project = homes.get(name);
      return project === undefined ? undefined : healthy(name, { project });
    },
    projects: async () => {
      looks += 1;
      await time.sleep(100);
      if (isRefused) throw new Error('forbidden');
      return [...windows].map(([name, held]) => ({ name, held }));
    },
    async projectsUntil(isSo, signal) {
      signal.addEventListener('abort', () => rung(), { once: true });
      if (isUnwatched) throw new OperatorError('could not watch', { hint: 'Ask for the right.' });
      while (!isSo([...windows].map(([name, held]) => ({ name, held })))) {
        await new Promise<void>((resolve) => {
          rung = resolve;
        });
        signal.throwIfAborted();
      }
    },
    hold: async (project, applications) => {
      await time.sleep(100);
      windows.set(project, applications);
      written.push(`${project}: ${applications.join(' ')}`);
      return 'changed';
    },
  };
  const hold = createHold({ clock: time, argocd } as unknown as World, (event) => told.push(event as RunEvent), []);
  return {
    hold,
    time,
    windows,
    written,
    told,
    looks: () => looks,
    change(project: string, held: readonly string[]): void {
      windows.set(project, held);
      rung();
    },
    refuseWatch: () => {
      isUnwatched = true;
    },
    appears: (application: string, project: string) => void homes.set(application, project),
    refuse: () => {
      isRefused = true;
    },
    run: <T>(work: Promise<T>): Promise<T> => time.run(work),
  };
}
