import { describe, expect, test } from 'vitest';
import {
  applicationOf,
  deleteCascading,
  drive,
  everyType,
  objectOf,
  operationOf,
  settle,
  sync,
  typeNames,
  verdictOf,
} from './sandbox.fixture.ts';

const minutes = 60_000;

describe('faults', () => {
  test.each([
    ['degraded', 'Synced Degraded'],
    ['never-healthy', 'Synced Progressing'],
    ['sealed', 'Synced Healthy'],
    ['empty', 'Synced Healthy'],
    ['stuck-finalizer', 'Synced Healthy'],
  ] as const)('%s shows as %s, the truth says otherwise, and fix heals it', async (kind, verdict) => {
    const driven = drive({ platform: everyType, faults: typeNames.map((app) => ({ app, kind })) });
    await settle(driven, 1000);
    for (const name of typeNames) await sync(driven, name);
    await settle(driven, 20 * minutes);
    const broken = kind === 'sealed' ? ['vault'] : kind === 'stuck-finalizer' ? [] : typeNames;
    for (const name of typeNames) {
      expect(`${name} ${verdictOf(driven, name)}`).toBe(`${name} ${verdict}`);
      expect({ name, healthy: driven.sandbox.truth(name).healthy }).toEqual({ name, healthy: !broken.includes(name) });
      driven.sandbox.fix(name);
    }
    for (const name of typeNames) await sync(driven, name);
    await settle(driven, 20 * minutes);
    for (const name of typeNames) {
      expect(`${name} ${verdictOf(driven, name)}`).toBe(`${name} Synced Healthy`);
      expect(driven.sandbox.truth(name)).toEqual({ healthy: true, why: 'everything is there and ready' });
    }
  });

  test('sync-fails fails every attempt, sync-fails:1 only the first', async () => {
    const driven = drive({
      platform: everyType,
      faults: [
        { app: 'simple', kind: 'sync-fails' },
        { app: 'operator', kind: 'sync-fails', times: 1 },
      ],
    });
    await settle(driven, 1000);
    for (const name of ['simple', 'operator', 'simple', 'operator']) await sync(driven, name);
    expect(operationOf(driven, 'simple')).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(/^one or more objects failed to apply, reason: admission webhook/),
    });
    expect(operationOf(driven, 'operator')).toMatchObject({ phase: 'Succeeded' });
  });

  test('a stuck finalizer keeps a deleted app alive until it is fixed', async () => {
    const driven = drive({ platform: everyType, faults: [{ app: 'database', kind: 'stuck-finalizer' }] });
    await settle(driven, 1000);
    await sync(driven, 'database');
    await settle(driven, 10 * minutes);
    deleteCascading(driven, 'database');
    await settle(driven, 30 * minutes);
    expect(objectOf(driven, 'acid.zalan.do/v1', 'postgresql', 'database/database')?.metadata.finalizers).toEqual([
      'example.com/never-removed',
    ]);
    driven.sandbox.fix('database');
    await settle(driven, 1 * minutes);
    expect(applicationOf(driven, 'database')).toBeUndefined();
    expect(objectOf(driven, 'acid.zalan.do/v1', 'postgresql', 'database/database')).toBeUndefined();
  });
});
