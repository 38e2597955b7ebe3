import { expect, test } from 'vitest';
import { durationMs, spokenDuration } from './durations.ts';

test('reads seconds without a unit, and units one after the other', () => {
  expect(['2', '4s', '1h30m', '250ms', '1d'].map(durationMs)).toEqual([2000, 4000, 5_400_000, 250, 86_400_000]);
  expect(() => durationMs('soon')).toThrow('unable to parse soon as a duration');
});

test('says a duration in its two largest units', () => {
  expect([2000, 61_000, 120_000, 5_400_000].map(spokenDuration)).toEqual([
    '2 seconds',
    '1 minute 1 second',
    '2 minutes 0 seconds',
    '1 hour 30 minutes',
  ]);
});
