import { describe, expect, test } from 'vitest';
import { platformFrom, platformNamed } from '../sandbox.fixture.ts';
import { createWorld } from './world.ts';

describe('what Git holds', () => {
  test.each(['hello', 'reference', 'forty-three'])(
    'every custom resource of %s has its definition before it',
    (name) => {
      const platform = platformNamed(name);
      const world = createWorld({ platform });
      const preinstalled = [...world.providers].filter(([, by]) => by === undefined).map(([kind]) => kind.group);
      const bringing = new Map<string, string>();
      for (const app of platform.apps.keys()) {
        for (const object of objectsOf(world, app)) {
          const spec = object['spec'] as { group: string } | undefined;
          if (object.kind === 'CustomResourceDefinition' && spec !== undefined) bringing.set(spec.group, app);
        }
      }
      for (const app of platform.apps.values()) {
        for (const object of objectsOf(world, app.name)) {
          const group = object.apiVersion.split('/')[0] ?? '';
          if (!group.includes('.') || group.endsWith('.k8s.io')) continue;
          const by = bringing.get(group);
          const isSafe = preinstalled.includes(group) || (by !== undefined && needs(platform, app.name).has(by));
          expect({ app: app.name, group, isSafe }).toEqual({ app: app.name, group, isSafe: true });
        }
      }
    },
  );

  test('a database whose operator may not be there yet is a StatefulSet', () => {
    const world = createWorld({
      platform: platformFrom('stacks:\n  s: { apps: { pg-operator: { type: operator }, db: { type: database } } }'),
    });
    expect(objectsOf(world, 'db').map(({ kind }) => kind)).toEqual(['StatefulSet', 'PersistentVolumeClaim']);
  });

  test('waves and hooks of the scenario are in the manifests', () => {
    const apps = new Map([['web', { waves: 2, hooks: ['PreSync'] as const }]]);
    const world = createWorld({
      platform: platformFrom('stacks:\n  s: { apps: { web: {} } }'),
      scenario: { defaults: {}, apps },
    });
    const marks = objectsOf(world, 'web').map(
      ({ kind, metadata }) => `${kind} ${Object.values(metadata.annotations ?? {})}`,
    );
    expect(marks).toEqual(['ConfigMap 0', 'Deployment 0', 'Service 1', 'Job PreSync']);
  });
});

function objectsOf(world: ReturnType<typeof createWorld>, app: string) {
  const content = world.git.read(`apps/${app}`, world.git.head);
  if ('error' in content) throw new Error(content.error);
  return content.objects;
}

/** Everything the app waits for, parts counted as their app. */
function needs(platform: ReturnType<typeof platformNamed>, app: string, seen = new Set<string>()): Set<string> {
  for (const need of platform.apps.get(app)?.needs ?? []) {
    const name = need.node.split('#')[0] ?? '';
    if (need.edge !== 'hard' || seen.has(name)) continue;
    seen.add(name);
    needs(platform, name, seen);
  }
  return seen;
}
