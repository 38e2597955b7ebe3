import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chance, chanceFor } from './chance.ts';
import { type ChaosBed, chaosBed } from './chaos-bed.ts';
import { leaseHolder, redone, wrongAfterDeploy, wrongAfterTeardown, wrongOrder } from './judge.ts';
import { type Ending, runAndKill } from './run-and-kill.ts';
import { leaseFree, wordsOf } from './runs.ts';

const wanted = { deploy: 20, teardown: 10 };
/** A platform that is up takes no more kills: the next ones come after it was taken down and begun anew. */
const rounds = Array.from({ length: 20 }, (_, index) => index + 1);
const longest = 15 * 60_000;

let bed: ChaosBed;
let chance: Chance;
/** How long an undisturbed run took. */
const took = { deploy: 0, teardown: 0 };
const killed = { deploy: 0, teardown: 0 };

beforeAll(async () => {
  chance = chanceFor('the executor killed');
  bed = await chaosBed();
}, 300_000);

afterAll(() => bed?.close());

type Action = keyof typeof wordsOf;

describe('an executor that nobody disturbs', () => {
  it(
    'deploys and takes down, so that it is known how long that takes',
    async () => {
      for (const action of ['deploy', 'teardown'] as const) {
        const ending = await runAndKill(bed.start(...wordsOf[action]), longest);
        expect(ending.exitCode, ending.err).toBe(0);
        took[action] = ending.tookMs;
        expect(await judge(action, 0)).toEqual([]);
      }
      console.log(`undisturbed: deploy ${took.deploy} ms, teardown ${took.teardown} ms`);
    },
    longest,
  );
});

describe('an executor that is killed', () => {
  it(
    'leaves its lease behind: the next run says whose it is and when it runs out, and takes over then',
    async () => {
      const since = await begin();
      const first = bed.start(...wordsOf.deploy);
      await runAndKill(first, took.deploy / 2);
      const holder = await leaseHolder(bed.client, bed.platform.name);
      expect(holder).toMatch(/^deploy-/);
      const refused = await runAndKill(bed.start(...wordsOf.deploy), longest);
      expect(refused.exitCode).toBe(1);
      expect(refused.err).toContain(`another run holds the lease: ${holder}`);
      expect(refused.err).toMatch(/runs out in \d+ s/);
      await leaseFree(bed);
      const next = await runAndKill(bed.start(...wordsOf.deploy), longest);
      expect(next.exitCode, next.err).toBe(0);
      expect(next.err).toContain(holder);
      expect(await judge('deploy', since)).toEqual([]);
      await untilEnd('teardown');
      expect(await judge('teardown', since)).toEqual([]);
    },
    longest,
  );

  it.for(rounds)(
    'is continued by the next run, at whatever moment it was killed, up and down: round %i',
    { timeout: longest },
    async (round, { skip }) => {
      skip(killed.deploy >= wanted.deploy && killed.teardown >= wanted.teardown, 'it was killed often enough');
      const since = await begin();
      for (const action of ['deploy', 'teardown'] as const) {
        await untilEnd(action, round);
        expect(await judge(action, since), `CHAOS_SEED=${chance.seed}, round ${round}, after ${action}`).toEqual([]);
      }
    },
  );

  it('was killed often enough for this to mean something', () => {
    console.log(`killed: ${killed.deploy} deploys, ${killed.teardown} teardowns`);
    expect(killed.deploy).toBeGreaterThanOrEqual(wanted.deploy);
    expect(killed.teardown).toBeGreaterThanOrEqual(wanted.teardown);
  });
});

/** The platform in Git and its root in the cluster, as before its first deploy. */
async function begin(): Promise<number> {
  const since = Date.now();
  await bed.furnish();
  return since;
}

/** Runs it again and again, killed at random moments, until one run comes to its end: that one must be right. */
async function untilEnd(action: Action, round?: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const isToDie = round !== undefined && killed[action] < wanted[action];
    // A run that continues another one is shorter.
    const afterMs = isToDie ? chance.below(attempt === 1 ? took[action] : took[action] / 2) : longest;
    const ending = await runAndKill(bed.start(...wordsOf[action]), afterMs);
    if (!ending.wasKilled) return expect(ending.exitCode, ending.err).toBe(0);
    killed[action] += 1;
    console.log(`round ${round}: ${action} killed after ${afterMs} ms: ${lastWord(ending)}`);
    await leaseFree(bed);
  }
}

function lastWord({ err }: Ending): string {
  return err.trimEnd().split('\n').at(-1) ?? '';
}

async function judge(action: Action, since: number): Promise<string[]> {
  const state = await (action === 'deploy' ? wrongAfterDeploy(bed) : wrongAfterTeardown(bed));
  const wrong = [...(await wrongOrder(bed, since)), ...(await redone(bed, since)), ...state];
  console.log(`after ${action}: ${wrong.length === 0 ? 'all is right' : wrong.join('\n  ')}`);
  return wrong;
}
