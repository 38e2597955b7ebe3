import { expect, it } from 'vitest';
import { logLine } from '../../src/cli/log-lines.ts';
import { bench, deployOn, platformFrom, teardownOn } from '../harness.ts';

it('takes hello up and down', async () => {
  const on = bench(platformFrom('platforms/hello'));
  const show = (event: Parameters<typeof logLine>[0]) => console.log(logLine(event, 'text', { action: 'deploy', level: 'debug' })?.line);
  const first = await deployOn(on, {}, undefined, show);
  expect(first.run.exitCode).toBe(0);
  const writes = on.sandbox.requests.filter((request) => request.write).length;
  const second = await deployOn(on, {}, undefined, show);
  expect(second.run.exitCode).toBe(0);
  expect(on.sandbox.requests.filter((request) => request.write).length).toBe(writes);
  const down = await teardownOn(on, {}, undefined, show);
  expect(down.run.exitCode).toBe(0);
  on.close();
});
