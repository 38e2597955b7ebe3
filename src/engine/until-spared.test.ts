import { expect, it } from 'vitest';
import type { ResourceRef } from '../core/plan/observed.ts';
import { cluster } from './one-application.fixture.ts';
import { untilSpared } from './until-spared.ts';

const rules = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  namespace: 'web',
  name: 'rules',
  sync: 'Synced',
  hook: false,
  prune: false,
} satisfies ResourceRef;
const others = { ...rules, name: 'others' };
const unheard = { resources: [rules, others] };
const heard = { resources: [{ ...rules, confirm: true }, others] };
const { signal } = new AbortController();

function sparing(on: ReturnType<typeof cluster>, spared: readonly ResourceRef[]): Promise<void> {
  Object.assign(on.world, { newId: () => 'id' });
  Object.assign(on.world.argocd, { refresh: async () => 'asked', line: () => ({ length: 0, tookMs: 0 }) });
  return on.time.run(untilSpared(on.world, 'web', spared, signal));
}

it('waits until Argo CD’s record knows what must stay, and asks for nothing where all may go', async () => {
  const on = cluster(unheard, { later: { atMs: 4_200, seen: heard } });
  await sparing(on, []);
  expect(on.now()).toBe(0);
  await sparing(on, [rules]);
  expect(on.now()).toBeGreaterThanOrEqual(4_200);
  expect(on.now()).toBeLessThan(5_000);
});

it('gives up after a minute, with the object, before anything is deleted', async () => {
  const on = cluster(unheard);
  await expect(sparing(on, [rules])).rejects.toThrow(/did not notice within 60 s that ConfigMap web\/rules must stay/);
  expect(on.now()).toBe(60_000);
});
