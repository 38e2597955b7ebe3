import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../real/waiting.ts';
import { type Chance, chanceFor } from './chance.ts';
import { type ChaosBed, chaosBed } from './chaos-bed.ts';
import { wrongAfterDeploy, wrongAfterTeardown, wrongOrder } from './judge.ts';
import { pause, runAndKill, runAndMeanwhile } from './run-and-kill.ts';
import { leaseFree, uncleanEnd, wordsOf } from './runs.ts';

const components = ['argocd-application-controller', 'argocd-repo-server', 'kube-apiserver', 'etcd', 'redis'];
const longest = 15 * 60_000;

let bed: ChaosBed;
let chance: Chance;
/** How long an undisturbed run took. */
const took = { deploy: 0, teardown: 0 };

beforeAll(async () => {
  chance = chanceFor('a component killed');
  bed = await chaosBed();
  for (const action of ['deploy', 'teardown'] as const) {
    const ending = await runAndKill(bed.start(...wordsOf[action]), longest);
    expect(ending.exitCode, ending.err).toBe(0);
    took[action] = ending.tookMs;
  }
}, 300_000);

afterAll(() => bed?.close());

describe.each(components)('%s killed and restarted during a run', (component) => {
  let since: number;

  it(
    'lets a deploy end right or fail in good order, and the next one finish',
    async () => {
      since = Date.now();
      await bed.furnish();
      await struck('deploy', component);
      // A controller that has just come back may be a moment behind.
      await eventually(
        'everything is as a deploy leaves it',
        async () => (await wrongAfterDeploy(bed)).length === 0,
      ).catch(async () => expect(await wrongAfterDeploy(bed), `CHAOS_SEED=${chance.seed}`).toEqual([]));
      expect(await wrongOrder(bed, since), `CHAOS_SEED=${chance.seed}`).toEqual([]);
    },
    longest,
  );

  it(
    'lets a teardown end right or fail in good order, and the next one finish',
    async () => {
      await struck('teardown', component);
      expect(await wrongAfterTeardown(bed), `CHAOS_SEED=${chance.seed}`).toEqual([]);
      expect(await wrongOrder(bed, since), `CHAOS_SEED=${chance.seed}`).toEqual([]);
    },
    longest,
  );
});

/** A run during which the component dies and comes back, and the run after it when that one did not get through. */
async function struck(action: keyof typeof wordsOf, component: string): Promise<void> {
  // Whenever it is at work: the first run of all takes the longest, and what comes too late strikes nothing.
  const [afterMs, goneMs] = [chance.below(0.75 * took[action]), chance.below(4000)];
  const ending = await runAndMeanwhile(bed.start(...wordsOf[action]), afterMs, async () => {
    await bed.kill(component);
    await pause(goneMs);
    await bed.heal();
  });
  console.log(`${action}: ${component} killed after ${afterMs} ms: exit ${ending.exitCode} after ${ending.tookMs} ms`);
  expect(ending.wasStruck, 'the run was over before the component died').toBe(true);
  expect(uncleanEnd(ending)).toBeUndefined();
  if (ending.exitCode === 0) return;
  console.log(ending.err.slice(-1500));
  await leaseFree(bed);
  const next = await runAndKill(bed.start(...wordsOf[action]), longest);
  expect(next.exitCode, next.err).toBe(0);
}
