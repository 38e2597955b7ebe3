import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { portNames } from '../testbed.ts';
import { readState, type TestbedState, testbedHome, testbedNames, writeState } from './state.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'testbed-state-'));
});

afterEach(() => rmSync(home, { recursive: true }));

describe('what a testbed remembers', () => {
  it('is read back as it was written, and nothing but it lies in the folder', () => {
    writeState(stateOf('one'));
    writeState({ ...stateOf('one'), reconciliation: '10s' });
    expect(readState(home, 'one')).toEqual({ ...stateOf('one'), reconciliation: '10s' });
    expect(readdirSync(join(home, 'one'))).toEqual(['testbed.json']);
  });

  it('is nobody else’s to read', () => {
    writeState(stateOf('one'));
    expect(statSync(join(home, 'one')).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, 'one/testbed.json')).mode & 0o777).toBe(0o600);
  });

  it('is undefined for a name that nobody has used', () => {
    expect(readState(home, 'other')).toBeUndefined();
  });
});

describe('the names of all testbeds', () => {
  it('are sorted, and do not count the folders for locks and ports', () => {
    for (const name of ['two', 'one']) writeState(stateOf(name));
    for (const folder of ['.locks', '.slots']) mkdirSync(join(home, folder));
    expect(testbedNames(home)).toEqual(['one', 'two']);
  });

  it('are none before the first one', () => {
    expect(testbedNames(join(home, 'nowhere'))).toEqual([]);
  });
});

describe('the home of testbeds', () => {
  it('is where TIPHYS_TESTBED_HOME says, then the user’s state folder, then the usual place of it', () => {
    const usual = { HOME: '/home/somebody' };
    expect(testbedHome(usual)).toBe('/home/somebody/.local/state/tiphys/testbed');
    expect(testbedHome({ ...usual, XDG_STATE_HOME: '/state' })).toBe('/state/tiphys/testbed');
    expect(testbedHome({ ...usual, XDG_STATE_HOME: '/state', TIPHYS_TESTBED_HOME: '/mine' })).toBe('/mine');
  });
});

function stateOf(name: string): TestbedState {
  const ports = Object.fromEntries(portNames.map((port, index) => [port, 20_000 + index]));
  return {
    name,
    folder: join(home, name),
    argocd: '3.5',
    ports: ports as TestbedState['ports'],
    reconciliation: '120s',
    requeue: '100ms',
    processes: { etcd: { pid: 1, startedAt: '2' } },
  };
}
