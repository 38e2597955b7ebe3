import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

describe('nearestName', () => {
  const apps = ['vault', 'cert-manager', 'prometheus', 'loki', 'pg-clusters', 'vault-config'];

  it.each([
    ['valt', 'vault'],
    ['vualt', 'vault'],
    ['Vault', 'vault'],
    ['certmanager', 'cert-manager'],
    ['cert-manger', 'cert-manager'],
    ['promethues', 'prometheus'],
    ['clusters', 'pg-clusters'],
  ])('takes %s for a slip of %s', (written, meant) => {
    expect(nearestName(written, apps)).toBe(meant);
  });

  it.each(['redis', 'x', '', 'kafka'])('does not guess at "%s"', (written) => {
    expect(nearestName(written, apps)).toBeUndefined();
  });

  it('takes the first in the alphabet among equals, whatever their order, and reads an iterator once', () => {
    expect(nearestName('aac', ['aad', 'aab'])).toBe('aab');
    expect(nearestName('aac', ['aab', 'aad'])).toBe('aab');
    expect(nearestName('clusters', new Set(apps).keys())).toBe('pg-clusters');
  });
});
