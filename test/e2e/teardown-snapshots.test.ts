import { describe, expect, it } from 'vitest';
import { type Bench, bench, deployOn, platformFrom, teardownOn } from '../harness.ts';
import { admin, objects, writes } from './look.ts';
import { serveSnapshots } from './snapshots.ts';
import { configMap, volumeOf } from './teardown-scene.ts';

const hello = platformFrom('platforms/hello');
const snapshot = { stateful: 'all', includeCrds: true, pvPolicy: 'snapshot' } as const;

describe('--pv-policy snapshot (R6.7)', () => {
  it('keeps what an earlier run has kept, which has no snapshot', async () => {
    const on = await deployed();
    await teardownOn(on, { scope: { kind: 'app', name: 'database' }, with: 'dependents' });
    const kept = volumeOf(on, 'database-data');
    await deployOn(on);
    const { run } = await teardownOn(on, snapshot);
    on.close();
    expect(run.exitCode).toBe(0);
    expect(volumes(on)).toEqual([kept]);
    expect(run.retained).toContainEqual({ object: `PersistentVolume ${kept}`, because: 'it has no snapshot' });
  });

  it('ends clean, keeps the namespace of its snapshots, and has nothing left to do', async () => {
    const on = await deployed();
    const { run } = await teardownOn(on, snapshot);
    expect([run.exitCode, run.orphans, volumes(on)]).toEqual([0, [], []]);
    expect(run.retained).toContainEqual({
      object: 'Namespace database',
      because: 'it holds the snapshots of its volumes',
    });
    const before = writes(on).length;
    expect((await teardownOn(on, snapshot)).run.exitCode).toBe(0);
    expect(writes(on, before)).toEqual([]);
    await admin(on, 'POST', '/api/v1/namespaces/database/configmaps', configMap('theirs'));
    const third = await teardownOn(on, snapshot);
    on.close();
    expect([third.run.exitCode, third.run.orphans.map(({ object }) => object)]).toEqual([
      2,
      ['ConfigMap database/theirs'],
    ]);
    expect([...objects(on).keys()].filter((key) => key.startsWith('VolumeSnapshot '))).toHaveLength(1);
  });
});

async function deployed(): Promise<Bench> {
  const on = bench(hello);
  await serveSnapshots(on);
  expect((await deployOn(on)).run.exitCode).toBe(0);
  return on;
}

function volumes(on: Bench): string[] {
  return [...objects(on).values()]
    .filter(({ kind }) => kind === 'PersistentVolume')
    .map(({ metadata }) => metadata.name);
}
