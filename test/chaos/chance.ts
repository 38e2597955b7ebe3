import { seededIds } from '../../src/adapters/clock/seeded-ids.ts';

/** Moments by chance, the same again for the same seed. */
export interface Chance {
  readonly seed: number;
  /** A whole number from 0 up to the limit, without it. */
  below(limit: number): number;
}

/** `CHAOS_SEED=<n>` plays the same moments again; each suite says its seed. */
export function chanceFor(suite: string): Chance {
  const given = process.env['CHAOS_SEED'];
  const seed = given === undefined ? Date.now() % 1_000_000 : Number(given);
  if (!Number.isInteger(seed) || seed <= 0) throw new Error(`CHAOS_SEED=${given}: write a whole number above zero`);
  console.log(`${suite}: CHAOS_SEED=${seed} plays it again`);
  // Small seeds lie close together in the generator's first answers.
  const { random } = seededIds(Math.imul(seed, 0x9e3779b1));
  return { seed, below: (limit) => Math.floor(random() * limit) };
}
