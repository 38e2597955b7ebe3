import { expect, test } from 'vitest';
import { isWhenMet } from './when-expression.ts';

test.each([
  [undefined, true],
  ['no == yes', false],
  ["'yes' == yes", true],
  ['a != b && 2 < 10', true],
  ['a == b || 3 >= 3', true],
  ['true', true],
  ['false', false],
])('%s is %s', (when, met) => {
  expect(isWhenMet(when)).toBe(met);
});
