/** Ids and chance that repeat: the same seed gives the same run, byte for byte. */
export function seededIds(seed: number): { readonly next: () => string; readonly random: () => number } {
  let state = seed >>> 0 || 1;
  // xorshift32: enough for jitter and ids that must only differ from each other.
  const step = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
  let count = 0;
  return {
    random: () => step() / 2 ** 32,
    next: () => `${(++count).toString(16).padStart(4, '0')}${step().toString(16).padStart(8, '0')}`,
  };
}
