import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Component } from './component.ts';
import { down } from './down.ts';
import { isRunning } from './processes.ts';
import { type SleepyHome, sleepyHome } from './sleepy-home.fixture.ts';
import { createStarter } from './start-components.ts';
import { readState, type TestbedState, writeState } from './state.ts';

let sleepy: SleepyHome;
let state: TestbedState;

beforeEach(async () => {
  sleepy = sleepyHome();
  state = await sleepy.testbed('mine');
  mkdirSync(join(state.folder, 'pki'));
  writeFileSync(join(state.folder, 'pki/ca.crt'), '');
  writeState(state);
});

afterEach(async () => {
  await down(sleepy.home, 'mine', { forget: false });
  await sleepy.close();
});

describe('starting components', () => {
  it('waits until they answer, and writes down at once what was started', async () => {
    expect(await start(answering('one'), answering('two', state.ports.kwok))).toEqual(['one', 'two']);
    expect(Object.values(known().processes).map(isRunning)).toEqual([true, true]);
  });

  it('changes nothing the second time', async () => {
    await start(answering('one'));
    const before = known();
    expect(await start(answering('one'))).toEqual([]);
    expect(known()).toEqual(before);
  });

  it('starts again what was killed, and only that', async () => {
    const both = [answering('one'), answering('two', state.ports.kwok)] as const;
    await start(...both);
    const { one, two } = known().processes;
    if (one === undefined) throw new Error('it was not written down');
    process.kill(one.pid, 'SIGKILL');
    await expect.poll(() => isRunning(one)).toBe(false);
    expect(await start(...both)).toEqual(['one']);
    expect(known().processes['one']).not.toEqual(one);
    expect(known().processes['two']).toEqual(two);
  });

  it('does not show the words of one that ran before as those of one that ends in silence', async () => {
    writeFileSync(join(state.folder, 'log/silent.log'), 'words of yesterday\n');
    await expect(start(script('silent', 'process.exit(1)'))).rejects.toThrow(
      'silent ended. It has written nothing into its log.',
    );
  });

  it('says of a program that cannot be started which it is', async () => {
    const command = join(state.folder, 'nowhere');
    await expect(start({ ...script('gone', ''), command })).rejects.toMatchObject({
      message: `gone cannot be started: spawn ${command} ENOENT`,
      hint: `It is ${command}; its log would be ${join(state.folder, 'log/gone.log')}.`,
    });
  });

  it('counts one once that had to be started again', async () => {
    const starter = createStarter(known(), process.env);
    await starter.start([answering('one')]);
    await starter.restart([answering('one')]);
    expect(starter.started).toEqual(['one']);
  });

  it('shows the end of the log of one that ends, and where the whole of it is', async () => {
    const broken = script('broken', "for (let n = 1; n <= 20; n += 1) console.log('line', n); process.exit(1)");
    await expect(start(broken)).rejects.toMatchObject({
      message: expect.stringMatching(/^broken ended\. The end of its log:\nline 6\n(.*\n)*line 20$/),
      hint: `The whole log: ${join(state.folder, 'log/broken.log')}`,
    });
  });
});

async function start(...components: readonly Component[]): Promise<readonly string[]> {
  const starter = createStarter(known(), process.env);
  await starter.start(components);
  return starter.started;
}

function known(): TestbedState {
  return readState(sleepy.home, 'mine') as TestbedState;
}

function answering(name: string, port: number = state.ports.api): Component {
  return script(name, `require('node:http').createServer((_, to) => to.end()).listen(${port}, '127.0.0.1')`, port);
}

function script(name: string, text: string, port: number = state.ports.api): Component {
  return { name, command: process.execPath, args: ['-e', text], ready: { url: `http://127.0.0.1:${port}/` } };
}
