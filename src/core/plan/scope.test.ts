import { describe, expect, it } from 'vitest';
import { platformWith } from './observed.fixture.ts';
import { parseScope, scopeProblem, scopeText } from './scope.ts';

const platform = platformWith('  storage:\n    apps:\n      ceph: {}\n');

describe('a scope', () => {
  it.each(['platform', 'stack:storage', 'app:ceph'])('reads %s and writes it the same', (text) => {
    const scope = parseScope(text);
    expect(scope === undefined ? undefined : scopeText(scope)).toBe(text);
  });

  it.each(['', 'ceph', 'app', 'app:', 'stack', 'APP:ceph', 'pod:ceph'])('is not “%s”', (text) => {
    expect(parseScope(text)).toBeUndefined();
  });

  it('names the nearest name when there is none of the given one', () => {
    expect(scopeProblem(platform, { kind: 'app', name: 'cehp' })).toBe(
      'there is no app called “cehp”; did you mean “ceph”?',
    );
    expect(scopeProblem(platform, { kind: 'stack', name: 'zzzzzzzz' })).toBe('there is no stack called “zzzzzzzz”');
    expect(scopeProblem(platform, { kind: 'stack', name: 'ceph' })).toContain('there is no stack called “ceph”');
    expect(scopeProblem(platform, { kind: 'app', name: 'ceph' })).toBeUndefined();
  });
});
