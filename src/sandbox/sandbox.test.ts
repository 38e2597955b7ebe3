import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readPlatform } from '../core/platform/read-platform.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import type { KubeObject } from './store/objects.ts';
import { virtualTime } from './time.ts';

test('root, stacks and apps of hello become Synced and Healthy when each is synced by an operation', async () => {
  const time = virtualTime();
  const sandbox = createSandbox({ platform: platform('hello'), time, seed: 7 });
  await time.run(time.sleep(1000));
  for (const name of ['hello-root', 'hello-base', 'hello-shop']) await sync(sandbox, time, name);
  for (const name of ['cert-manager', 'ingress', 'database', 'web']) await sync(sandbox, time, name);
  await time.run(time.sleep(400_000));
  const verdicts = applications(sandbox).map(({ name, sync: synced, health }) => `${name} ${synced} ${health}`);
  expect(verdicts).toEqual([
    'cert-manager Synced Healthy',
    'database Synced Healthy',
    'hello-base Synced Healthy',
    'hello-root Synced Healthy',
    'hello-shop Synced Healthy',
    'ingress Synced Healthy',
    'web Synced Healthy',
  ]);
  expect(sandbox.truth('database')).toEqual({ healthy: true, why: 'everything is there and ready' });
  sandbox.stop();
});

function platform(name: string) {
  const file = (which: string) => ({
    file: which,
    text: readFileSync(new URL(`../../platforms/${name}/${which}.yaml`, import.meta.url), 'utf8'),
  });
  const { platform: read } = readPlatform({ dag: file('dag'), environment: file('environment') });
  if (read === undefined) throw new Error(`platforms/${name} has problems`);
  return read;
}

function applicationType(sandbox: Sandbox) {
  const type = sandbox.types.byPlural('argoproj.io', 'applications');
  if (type === undefined) throw new Error('no Applications here');
  return type;
}

async function sync(sandbox: Sandbox, time: ReturnType<typeof virtualTime>, name: string): Promise<void> {
  sandbox.store.change(applicationType(sandbox), 'argocd', name, 'test', (object) => ({
    ...object,
    operation: { initiatedBy: { username: 'test' }, sync: { syncOptions: ['CreateNamespace=true'] } },
  }));
  await time.run(time.sleep(6000));
}

function applications(sandbox: Sandbox): { name: string; sync: unknown; health: unknown }[] {
  return sandbox.store.list(applicationType(sandbox)).map((object: KubeObject) => {
    const status = object['status'] as { sync?: { status: string }; health?: { status: string } } | undefined;
    return { name: object.metadata.name, sync: status?.sync?.status, health: status?.health?.status };
  });
}
