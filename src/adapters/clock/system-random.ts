/** Chance for jitter; simulations pass a seeded generator instead. */
export const systemRandom: () => number = Math.random;
