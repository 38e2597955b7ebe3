import { expect, test } from 'vitest';
import { dependsOf, isMet, tasksIn } from './depends-expression.ts';

const results: Readonly<Record<string, string>> = { ok: 'Succeeded', bad: 'Failed', off: 'Skipped', out: 'Omitted' };

test.each([
  ['ok', true],
  ['off', true],
  ['out', false],
  ['bad', false],
  ['bad.Failed', true],
  ['!bad', true],
  ['!(ok && bad.Failed)', false],
  ['ok && bad || out.Omitted', true],
  ['ok && (bad || out.Omitted)', true],
  ['(bad.Succeeded || bad.Failed || bad.Errored || bad.Omitted || bad.Skipped) && ok.Succeeded', true],
])('%s is %s', (depends, met) => {
  const expression = dependsOf({ name: 'x', depends });
  expect(expression !== undefined && isMet(expression, (task) => results[task])).toBe(met);
});

test('names each task once, in the order of the expression', () => {
  expect(tasksIn(dependsOf({ name: 'x', depends: '(b--2.Failed || a) && b--2' }))).toEqual(['b--2', 'a']);
  expect(tasksIn(dependsOf({ name: 'x', dependencies: ['b', 'a'] }))).toEqual(['b', 'a']);
  expect(dependsOf({ name: 'x' })).toBeUndefined();
});

test.each(['a &&', '(a', 'a b', '&& a', 'a % b'])('does not take %s', (depends) => {
  expect(() => dependsOf({ name: 'x', depends })).toThrow('unable to evaluate depends');
});
