import { describe, expect, it } from 'vitest';
import { healthStates } from '../../../test/lua/health-states.ts';
import { companionOf, ownVerdict, ownVerdictKinds } from './own-verdict.ts';

describe('a verdict of our own (INV-7, R5.7)', () => {
  it.each(healthStates())('$file', ({ object, companion, status, says }) => {
    const verdict = ownVerdict(object, { cephWarn: 'wait' }, companion);
    expect(verdict?.status).toBe(status);
    expect(verdict?.message).toContain(says);
  });

  it('has states on file for every kind it judges', () => {
    const onFile = new Set(healthStates().map((state) => state.groupKind));
    expect([...onFile].sort()).toEqual(ownVerdictKinds.map(({ group, kind }) => `${group}/${kind}`));
  });

  it('has no opinion on other kinds, nor on what is no object at all', () => {
    const others = [
      undefined,
      null,
      'CephCluster',
      7,
      [],
      {},
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { kind: 'constructor' },
      { apiVersion: 'ceph.rook.io/v1', kind: 'CephFilesystem' },
      { apiVersion: 'other.io/v1', kind: 'CephCluster' },
    ];
    for (const other of others) expect(ownVerdict(other)).toBeUndefined();
  });

  it('takes HEALTH_WARN as the policy says, and waits when there is none', () => {
    const object = cephCluster({ phase: 'Ready', ceph: { health: 'HEALTH_WARN' } });
    expect(ownVerdict(object)?.status).toBe('progressing');
    expect(ownVerdict(object, { cephWarn: 'wait' })?.status).toBe('progressing');
    expect(ownVerdict(object, { cephWarn: 'accept' })?.status).toBe('healthy');
    expect(ownVerdict(object, { cephWarn: 'fail' })?.status).toBe('degraded');
  });

  it('keeps line breaks, terminal escapes and endless text out of the sentence', () => {
    const message = `one\nline\u001b[2J\u202e${'x'.repeat(100_000)}`;
    const verdict = ownVerdict(cephCluster({ phase: 'Failure', message }));
    expect(verdict?.message).toMatch(/^phase Failure: one line \[2J x+…$/);
    expect(verdict?.message.length).toBeLessThan(400);
  });

  it('survives any value in any field', () => {
    const values = [undefined, null, true, 0, Number.NaN, '', 'x', [], [null], {}, { status: null }];
    for (const { object } of healthStates()) {
      for (const path of pathsOf(object)) {
        for (const value of values) {
          expect(() => ownVerdict(replaced(object, path, value))).not.toThrow();
        }
      }
    }
  });

  it('asks to see the StatefulSet of a postgresql, where the ready replicas are counted', () => {
    const metadata = { name: 'main-db', namespace: 'data' };
    expect(companionOf({ apiVersion: 'acid.zalan.do/v1', kind: 'postgresql', metadata })).toEqual({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      namespace: 'data',
      name: 'main-db',
    });
    expect(companionOf(cephCluster({}))).toBeUndefined();
  });
});

function cephCluster(status: unknown): unknown {
  return { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', metadata: { name: 'ceph' }, status };
}

function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))];
}

function replaced(object: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const copy: Record<string, unknown> = { ...(object as Record<string, unknown>) };
  copy[key] = replaced(copy[key], rest, value);
  return copy;
}
