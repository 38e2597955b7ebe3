import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { knownOrNew } from './known-or-new.ts';
import { type SleepyHome, sleepyHome } from './sleepy-home.fixture.ts';
import { writeState } from './state.ts';

let sleepy: SleepyHome;

beforeEach(() => {
  sleepy = sleepyHome();
});

afterEach(() => sleepy.close());

describe('how long a Workflow rests between two looks', () => {
  it('is a fifth of a second in a new testbed, also in one that was made before this could be wished for', async () => {
    expect((await knownOrNew(wanted('new'))).requeue).toBe('200ms');
    const { requeue: _requeue, ...older } = await sleepy.testbed('older');
    writeState(older as Parameters<typeof writeState>[0]);
    expect((await knownOrNew(wanted('older'))).requeue).toBe('200ms');
  });

  it('is what was wished for last', async () => {
    const state = await knownOrNew({ ...wanted('slow'), requeue: '10s' });
    expect(state.requeue).toBe('10s');
    writeState(state);
    expect((await knownOrNew(wanted('slow'))).requeue).toBe('10s');
    expect((await knownOrNew({ ...wanted('slow'), requeue: '1s' })).requeue).toBe('1s');
  });
});

function wanted(name: string) {
  return { home: sleepy.home, name, env: {} };
}
