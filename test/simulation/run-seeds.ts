import type { SimulatedEngine } from './engines.ts';
import { randomCase } from './random-case.ts';
import { simulate } from './simulate.ts';

/** SIM_RUNS: how many cases in all. SIM_SEED: replay one, told event by event. */
const runs = Number(process.env['SIM_RUNS'] ?? 1_000);
const only = process.env['SIM_SEED'];

/** The seeds of one half: two test files share the work, so that two cores do. */
export function seedsOf(half: 0 | 1): readonly number[] {
  if (only !== undefined) return Number(only) % 2 === half ? [Number(only)] : [];
  return Array.from({ length: Math.ceil(runs / 2) }, (_, index) => index * 2 + half);
}

/** A tenth as many, for the engine whose runs take ten times as long. */
export function workflowSeeds(): readonly number[] {
  if (only !== undefined) return [Number(only)];
  return Array.from({ length: Math.ceil(runs / 10) }, (_, index) => index);
}

/** Plays the seeds and returns what broke, each with the command that replays it. Stops after five. */
export async function runSeeds(
  seeds: readonly number[],
  engine: SimulatedEngine['name'] = 'embedded',
): Promise<string> {
  const failures: string[] = [];
  for (const seed of seeds) {
    const broken = await simulate(seed, engine);
    if (broken.length === 0) continue;
    if (only !== undefined) process.stdout.write(randomCase(seed).dag);
    failures.push(
      `seed ${seed}:\n  ${broken.slice(0, 5).join('\n  ')}\n  replay: SIM_SEED=${seed} npx vitest run test/simulation -t ${engine}`,
    );
    if (failures.length >= 5) break;
  }
  return failures.join('\n');
}
