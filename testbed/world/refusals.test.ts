import { describe, expect, test } from 'vitest';
import { createRefusals } from './refusals.ts';

describe('refusals', () => {
  test('each object is refused as often as it says, and then no more', () => {
    const refusals = createRefusals(() => 'commit');
    const tries = (name: string): boolean[] => [1, 2, 3].map(() => refusals.refuses(object(name, '2')));
    expect(tries('a')).toEqual([true, true, false]);
    expect(tries('b')).toEqual([true, true, false]);
  });

  test('always means always, and an object without the label is let through', () => {
    const refusals = createRefusals(() => 'commit');
    for (let attempt = 0; attempt < 5; attempt++) expect(refusals.refuses(object('a', 'always'))).toBe(true);
    expect(refusals.refuses(object('a', undefined))).toBe(false);
  });

  test('counting begins again with a new commit', () => {
    let commit = 'first';
    const refusals = createRefusals(() => commit);
    expect([1, 2].map(() => refusals.refuses(object('a', '1')))).toEqual([true, false]);
    commit = 'second';
    expect([1, 2].map(() => refusals.refuses(object('a', '1')))).toEqual([true, false]);
  });
});

function object(name: string, times: string | undefined) {
  const labels = times === undefined ? {} : { 'testbed.tiphys.dev/refused': times };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'web', labels } };
}
