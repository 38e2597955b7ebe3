import { expect, it } from 'vitest';
import { durationText } from './duration-text.ts';

it.each([
  [0, '0s'],
  [0.04, '0s'],
  [4.25, '4.3s'],
  [9.94, '9.9s'],
  [9.96, '10s'],
  [42, '42s'],
  [59.7, '1m 00s'],
  [724, '12m 04s'],
  [3599.6, '1h 00m'],
  [3720, '1h 02m'],
])('says %d seconds as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
