import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { areFree, giveBackPorts, takePorts } from './take-ports.ts';

let home: string;
const listening: Server[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'testbed-ports-'));
});

afterEach(async () => {
  for (const server of listening.splice(0)) await new Promise((resolve) => server.close(resolve));
  rmSync(home, { recursive: true });
});

describe('the ports of a testbed', () => {
  it('are no other testbed’s, even when all come up at the same moment', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `bed-${index}`);
    const blocks = await Promise.all(names.map((name) => takePorts(home, name)));
    const all = blocks.flatMap((ports) => Object.values(ports));
    expect(new Set(all).size).toBe(all.length);
  });

  it('are others for another home, although neither knows of the other’s', async () => {
    const blocks = new Set<number>();
    for (const one of ['a', 'b', 'c', 'd', 'e']) blocks.add((await takePorts(join(home, one), 'mine')).api);
    // Two of five may fall onto the same block by chance, but not all.
    expect(blocks.size).toBeGreaterThan(2);
  });

  it('are the same again for a name whose first attempt did not come to its end', async () => {
    const first = await takePorts(home, 'mine');
    await takePorts(home, 'yours');
    expect(await takePorts(home, 'mine')).toEqual(first);
  });

  it('stay whose they are when somebody gives back what they had before', async () => {
    const before = await takePorts(home, 'mine');
    giveBackPorts(home, 'mine', before.api);
    const after = await takePorts(home, 'yours');
    expect(after).toEqual(before);
    giveBackPorts(home, 'mine', before.api);
    expect((await takePorts(home, 'theirs')).api).not.toBe(after.api);
  });

  it('are none that somebody listens on', async () => {
    const first = await takePorts(home, 'mine');
    await listenOn(first.redis);
    expect(await areFree(first)).toBe(false);
    const second = await takePorts(home, 'mine');
    expect(Object.values(second)).not.toContain(first.redis);
    expect(await areFree(second)).toBe(true);
  });

  it('are found although others take and give back theirs in the same moment', async () => {
    const first = await takePorts(home, 'mine');
    const [taken] = readdirSync(join(home, '.slots'));
    const slot = JSON.stringify(join(home, '.slots', String(taken)));
    giveBackPorts(home, 'mine', first.api);
    const restless = `const { rmSync, writeFileSync } = require('node:fs');
      for (;;) { try { writeFileSync(${slot}, 'yours', { flag: 'wx' }); } catch {} rmSync(${slot}, { force: true }); }`;
    const other = spawn(process.execPath, ['-e', restless], { stdio: 'ignore' });
    try {
      for (let round = 0; round < 100; round += 1) giveBackPorts(home, 'mine', (await takePorts(home, 'mine')).api);
    } finally {
      other.kill('SIGKILL');
      await once(other, 'close');
    }
  });

  it('can be taken by others once they are given back, and not before', async () => {
    const mine = await takePorts(home, 'mine');
    const yours = await takePorts(home, 'yours');
    giveBackPorts(home, 'mine', mine.api);
    expect(await takePorts(home, 'theirs')).toEqual(mine);
    expect(await takePorts(home, 'more')).not.toEqual(yours);
  });

  it('run out with a sentence that says what to do', async () => {
    mkdirSync(join(home, '.slots'));
    for (let slot = 0; slot < 250; slot += 1) writeFileSync(join(home, '.slots', String(slot)), 'somebody');
    await expect(takePorts(home, 'mine')).rejects.toMatchObject({
      message: expect.stringMatching(/^no free block of 40 ports/),
      hint: expect.stringContaining('npm run testbed -- status'),
    });
  });
});

async function listenOn(port: number): Promise<void> {
  const server = createServer();
  listening.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
}
