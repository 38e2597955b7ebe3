import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration } from './parse-duration.ts';

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['5m', 300_000],
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1.s', 1000],
    ['250ms', 250],
    ['1500us', 1.5],
    ['1500µs', 1.5],
    ['2h45m30.5s', 9_930_500],
  ])('reads %s as Go does', (text, milliseconds) => {
    expect(parseDuration(text)).toBeCloseTo(milliseconds, 6);
  });

  it.each([
    '',
    '5',
    '5 m',
    ' 5m',
    '5m ',
    '5M',
    '5min',
    '5d',
    '-5m',
    '+5m',
    'm',
    '.s',
    '1..5s',
    '1e3s',
    '5m,3s',
    'PT5M',
    '00',
    '٣s',
    `${'1'.repeat(70)}s`,
  ])('refuses "%s"', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('adds up what it is given', () => {
    fc.assert(
      fc.property(fc.nat(99), fc.nat(59), fc.nat(59), (hours, minutes, seconds) => {
        expect(parseDuration(`${hours}h${minutes}m${seconds}s`)).toBe(((hours * 60 + minutes) * 60 + seconds) * 1000);
      }),
    );
  });
});
