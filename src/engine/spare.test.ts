import { describe, expect, it } from 'vitest';
import type { LiveObject } from './ports.ts';
import { keptByGit } from './spare.ts';

const spared = { 'tiphys.dev/spared': 'true' };

describe('what Git says to keep', () => {
  it.each([
    ['nothing', {}, undefined],
    ['our own options', { ...spared, ...options('Delete=false,Prune=confirm') }, undefined],
    ['its own option', options('Delete=false'), 'its sync option Delete=false keeps it'],
    [
      'its own option, set after ours',
      { ...spared, ...options('Delete=false') },
      'its sync option Delete=false keeps it',
    ],
    [
      'Helm’s policy beside our options',
      { ...spared, ...options('Delete=false,Prune=confirm'), 'helm.sh/resource-policy': 'keep' },
      'its Helm resource policy keeps it',
    ],
  ])('is read from the object: %s', (_what, annotations, because) => {
    expect(keptByGit(live(annotations))).toBe(because);
  });
});

function options(value: string): Readonly<Record<string, string>> {
  return { 'argocd.argoproj.io/sync-options': value };
}

function live(annotations: Readonly<Record<string, string>>): LiveObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web', annotations } };
}
