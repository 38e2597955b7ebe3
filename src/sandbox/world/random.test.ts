import { expect, test } from 'vitest';
import { createRandom, fakeSha, hashText } from './random.ts';

test('the same seed gives the same numbers, evenly spread', () => {
  const draw = (seed: number): number[] => {
    const random = createRandom(seed);
    return Array.from({ length: 10_000 }, random.next);
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  const mean = draw(3).reduce((sum, value) => sum + value, 0) / 10_000;
  expect(mean).toBeCloseTo(0.5, 1);
  expect(Math.min(...draw(4))).toBeGreaterThanOrEqual(0);
  expect(Math.max(...draw(4))).toBeLessThan(1);
});

test('a commit id hangs on the content alone', () => {
  expect(fakeSha('a')).toMatch(/^[0-9a-f]{40}$/);
  expect(fakeSha('a')).toBe(fakeSha('a'));
  expect(fakeSha('a')).not.toBe(fakeSha('b'));
  expect(hashText('a')).not.toBe(hashText('b'));
});
