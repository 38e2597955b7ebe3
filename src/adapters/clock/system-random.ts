import { randomBytes } from 'node:crypto';

/** Chance for jitter; simulations pass a seeded generator instead. */
export const systemRandom: () => number = Math.random;

/** A new id for what we put into a cluster: twelve hexadecimal digits. */
export const systemId = (): string => randomBytes(6).toString('hex');
