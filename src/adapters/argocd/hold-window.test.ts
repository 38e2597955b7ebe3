import { describe, expect, it } from 'vitest';
import { heldIn, windowsOf, withHold } from './hold-window.ts';

const theirs = {
  kind: 'allow',
  schedule: '0 22 * * *',
  duration: '1h',
  timeZone: 'Europe/Berlin',
  applications: ['*'],
};

describe('the hold window', () => {
  it('denies automation for exactly these Applications, lets manual syncs through, and says whose it is', () => {
    expect(withHold([], 'acme', ['a', 'b'])).toEqual([
      {
        kind: 'deny',
        schedule: '* * * * *',
        duration: '24h',
        applications: ['a', 'b'],
        manualSync: true,
        description: 'tiphys acme: held until its turn',
      },
    ]);
  });

  it('keeps other people’s windows as they are, also with fields that nobody here knows', () => {
    const held = withHold([theirs], 'acme', ['a']);
    expect(held[0]).toBe(theirs);
    expect(withHold(held, 'acme', ['b'])).toHaveLength(2);
    expect(withHold(held, 'acme', [])).toEqual([theirs]);
  });

  it('does not take another platform’s window for its own', () => {
    const both = withHold(withHold([], 'acme', ['a']), 'acme-two', ['z']);
    expect(heldIn(both, 'acme')).toEqual(['a']);
    expect(heldIn(both, 'acme-two')).toEqual(['z']);
    expect(heldIn(withHold(both, 'acme', []), 'acme-two')).toEqual(['z']);
  });

  it.each([
    [undefined],
    [null],
    [{}],
    [{ spec: {} }],
    [{ spec: { syncWindows: null } }],
    [{ spec: { syncWindows: 'x' } }],
  ])('reads a project without windows: %j', (project) => {
    expect(windowsOf(project)).toEqual([]);
  });
});
