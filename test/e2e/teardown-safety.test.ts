import { describe, expect, it } from 'vitest';
import { paths } from '../../src/sandbox/world/applications.ts';
import { bench, deployOn, platformOf, teardownOn } from '../harness.ts';
import { faults, objects, states } from './look.ts';
import { addToGit } from './teardown-scene.ts';

const everything = { stateful: 'all', includeCrds: true, pvPolicy: 'delete' } as const;

describe('a part that something needs which is still there (INV-5)', () => {
  const operated = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: operated
stacks:
  core:
    apps:
      operator:
        type: operator
        parts: { crds: { kinds: [CustomResourceDefinition] } }
      db: { needs: [operator#crds] }
      web: { needs: [db] }
      other: {}
`);

  it('outlives a teardown that is about something else', async () => {
    const on = bench(operated);
    await deployOn(on);
    const definitions = definitionsOf(on);
    expect(definitions.length).toBeGreaterThan(0);
    for (const name of ['operator', 'other'])
      expect((await teardownOn(on, { ...everything, scope: { kind: 'app', name } })).run.exitCode).toBe(0);
    expect(definitionsOf(on)).toEqual(definitions);
    expect((await teardownOn(on, everything)).run.exitCode).toBe(0);
    on.close();
    expect(definitionsOf(on)).toEqual([]);
  });

  it('outlives a teardown in which something is stuck, and goes with the next', async () => {
    const on = bench(operated, { faults: faults('web=stuck-finalizer') });
    await deployOn(on);
    const definitions = definitionsOf(on);
    const { run } = await teardownOn(on, everything);
    expect(states(run)).toMatchObject({ web: 'orphaned', db: 'blocked', 'operator#crds': 'blocked' });
    expect([run.exitCode, definitionsOf(on)]).toEqual([2, definitions]);
    on.sandbox.fix('web');
    await on.time.run(on.time.sleep(60_000));
    expect((await teardownOn(on, everything)).run.exitCode).toBe(0);
    on.close();
    expect(definitionsOf(on)).toEqual([]);
  });

  it('is a namespace, and empty', async () => {
    const spacious = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: spacious
stacks:
  core:
    apps:
      operator: { parts: { spaces: { kinds: [Namespace] } } }
      db: { needs: [operator#spaces] }
`);
    const on = bench(spacious, { faults: faults('db=stuck-finalizer') });
    addToGit(on, paths.app('operator'), namespace('space'));
    await deployOn(on);
    const { run } = await teardownOn(on, everything);
    on.close();
    expect(states(run)).toEqual({ db: 'orphaned', operator: 'removed', 'operator#spaces': 'blocked' });
    expect(objects(on).has('Namespace /space')).toBe(true);
  });
});

function namespace(name: string, annotations: Readonly<Record<string, string>> = {}): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } };
}

function definitionsOf(on: Parameters<typeof objects>[0]): string[] {
  return [...objects(on).keys()].filter((key) => /^CustomResourceDefinition .*operator/.test(key));
}
