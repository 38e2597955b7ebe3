import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../store/objects.ts';
import { applied, drifted } from './drift.ts';

const wanted: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { team: 'a' } },
  spec: { replicas: 1, template: { containers: [{ name: 'main', image: 'web:1' }] } },
};

const live = (change: (object: KubeObject) => KubeObject): KubeObject =>
  change({ ...wanted, metadata: { ...wanted.metadata, uid: 'u', generation: 3 }, status: { replicas: 0 } });

describe('drifted', () => {
  test.each<[string, (object: KubeObject) => KubeObject, boolean]>([
    ['nothing but status and server fields', (object) => object, false],
    [
      'a field that Git does not set',
      (object) => ({ ...object, spec: { ...(object['spec'] as object), paused: true } }),
      false,
    ],
    [
      'a label that Git does not set',
      (object) => ({ ...object, metadata: { ...object.metadata, labels: { team: 'a', more: 'b' } } }),
      false,
    ],
    ['another value', (object) => ({ ...object, spec: { ...(object['spec'] as object), replicas: 2 } }), true],
    ['a field taken away', (object) => ({ ...object, spec: { replicas: 1 } }), true],
    [
      'a list with one more',
      (object) => ({ ...object, spec: { ...(object['spec'] as object), template: { containers: [{}, {}] } } }),
      true,
    ],
    ['another label', (object) => ({ ...object, metadata: { ...object.metadata, labels: { team: 'b' } } }), true],
  ])('%s', (_what, change, expected) => {
    expect(drifted(wanted, live(change))).toBe(expected);
  });
});

test('applying takes drift away and leaves what others added', () => {
  const changed = live((object) => ({ ...object, spec: { replicas: 2, paused: true } }));
  const after = applied(wanted, changed);
  expect(drifted(wanted, after)).toBe(false);
  expect(after['spec']).toMatchObject({ replicas: 1, paused: true });
  expect(after['status']).toEqual({ replicas: 0 });
});
