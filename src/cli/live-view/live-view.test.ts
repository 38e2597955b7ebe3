import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { sampleEvents, timeAt } from '../../core/report/sample-run.fixture.ts';
import { liveView } from './live-view.ts';

it('redraws when time passes, not with every event, and gives the cursor back at the end', async () => {
  const { stream, written } = terminal();
  const time = manualClock();
  const runTime = (): number => Date.parse(timeAt(300));
  const view = liveView({ terminal: stream, clock: time, runTime, color: false });
  const drawn = written.length;
  for (const event of sampleEvents({ seconds: 300 })) view.add(event);
  expect(written.length).toBe(drawn);
  await time.tick();
  expect(written.slice(drawn).join('')).toContain('deploy reference');
  view.close();
  expect(written.join('')).toContain('\u001b[?25h');
  const atEnd = written.length;
  await time.tick();
  view.close();
  expect(written.length).toBe(atEnd);
});

function terminal(): { stream: NodeJS.WriteStream; written: string[] } {
  const written: string[] = [];
  const stream = Object.assign(new PassThrough(), { columns: 80, rows: 24, isTTY: true });
  stream.on('data', (chunk: Buffer) => written.push(chunk.toString()));
  return { stream: stream as unknown as NodeJS.WriteStream, written };
}

function manualClock(): {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  tick(): Promise<void>;
} {
  let wake: () => void = () => {};
  return {
    now: () => 0,
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        wake = resolve;
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
    tick: async () => {
      wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
