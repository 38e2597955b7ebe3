import { expect, it } from 'vitest';
import { PassedOnError } from './interrupted-error.ts';
import { asked, cluster, stopped, taken } from './one-application.fixture.ts';
import { takeBack } from './take-back.ts';

const own = { application: 'web', operationId: 'web/1' };

it('takes back what was not taken up, again when somebody wrote at the same moment', async () => {
  const on = cluster(asked, { conflicts: 2 });
  await on.time.run(takeBack(on.world, own, stopped));
  expect([on.withdrawn, on.now()]).toEqual([3, 200]);
});

it('leaves what was taken up, and what is somebody else’s', async () => {
  for (const seen of [taken, { operation: { step: 'web/2' } }, {}]) {
    const on = cluster(seen);
    await on.time.run(takeBack(on.world, own, stopped));
    expect(on.withdrawn).toBe(0);
  }
});

it('leaves everything to whoever goes on with the run', async () => {
  const passedOn = AbortSignal.abort(new PassedOnError('the lease was lost'));
  const on = cluster(asked);
  await on.time.run(takeBack(on.world, own, passedOn));
  expect([on.withdrawn, on.now()]).toEqual([0, 0]);
});

it('waits a moment for one that may have arrived', async () => {
  const on = cluster({}, { later: { atMs: 300, seen: asked } });
  await on.time.run(takeBack(on.world, { ...own, isUnsure: true }, stopped));
  expect([on.withdrawn, on.now()]).toEqual([1, 300]);
});

it('gives up after five seconds when the cluster does not answer, or refuses', async () => {
  const silent = cluster(asked, { conflicts: Number.POSITIVE_INFINITY });
  await silent.time.run(takeBack(silent.world, own, stopped));
  expect(silent.now()).toBe(5_000);
  const refusing = cluster(asked, { refuses: true });
  await refusing.time.run(takeBack(refusing.world, own, stopped));
  expect(refusing.now()).toBe(0);
});
