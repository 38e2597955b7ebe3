/** Numbers that look like chance and are the same for the same seed. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  between(low: number, high: number): number;
  chance(probability: number): boolean;
}

/** A small generator (mulberry32): one 32-bit state, good enough to spread delays. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
  };
}

/** 32 bits of a text (FNV-1a), for choices that hang on a name and not on the order of events. */
export function hashText(text: string, start = 0x811c9dc5): number {
  let hash = start >>> 0;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash;
}

/** What a commit's id looks like: forty hexadecimal digits, the same for the same content. */
export function fakeSha(text: string): string {
  let sha = '';
  for (let part = 0; part < 5; part++) {
    sha += createRandomWord(hashText(text, 0x811c9dc5 + part * 0x9e3779b1))
      .toString(16)
      .padStart(8, '0');
  }
  return sha;
}

function createRandomWord(seed: number): number {
  return Math.floor(createRandom(seed).next() * 4294967296);
}
