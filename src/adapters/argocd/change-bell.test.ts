import { describe, expect, it } from 'vitest';
import { virtualTime } from '../../sandbox/time.ts';
import { createChangeBell } from './change-bell.ts';

const never = new AbortController().signal;

describe('the change bell', () => {
  it('wakes those who wait for this Application, and only those', async () => {
    const { bell, time } = ringing();
    const woken: string[] = [];
    const waits = ['a', 'a', 'b'].map((name) =>
      bell.changed(name, time.now() + 60_000, never).then(() => woken.push(name)),
    );
    bell.ring('a');
    await time.run(Promise.all(waits.slice(0, 2)));
    expect(woken).toEqual(['a', 'a']);
    bell.ringAll();
    await time.run(Promise.all(waits));
    expect(woken).toEqual(['a', 'a', 'b']);
  });

  it('wakes by itself at the time asked for', async () => {
    const { bell, time } = ringing();
    const before = time.now();
    await time.run(bell.changed('a', before + 5_000, never));
    expect(time.now()).toBe(before + 5_000);
  });

  it('waits without a time for as long as it takes', async () => {
    const { bell, time } = ringing();
    time.after(3_600_000, () => bell.ring('a'));
    await time.run(bell.changed('a', Number.POSITIVE_INFINITY, never));
    expect(time.now()).toBeGreaterThanOrEqual(3_600_000);
  });

  it('gives up with the signal’s reason', async () => {
    const { bell, time } = ringing();
    const stop = new AbortController();
    const waiting = bell.changed('a', Number.POSITIVE_INFINITY, stop.signal);
    stop.abort(new Error('enough'));
    await expect(time.run(waiting)).rejects.toThrow('enough');
    await expect(bell.changed('a', 0, stop.signal)).rejects.toThrow('enough');
  });
});

function ringing() {
  const time = virtualTime();
  return { time, bell: createChangeBell(time) };
}
