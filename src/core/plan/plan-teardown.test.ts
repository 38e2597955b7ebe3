import { describe, expect, it } from 'vitest';
import { reversed } from '../graph/reversed.ts';
import { nodeGraph } from '../platform/node-graph.ts';
import { isIdle } from './assemble-plan.ts';
import { healthy, nothing, observed, platformWith } from './observed.fixture.ts';
import type { Plan } from './plan.ts';
import { isKept, planTeardown } from './plan-teardown.ts';

const platform = platformWith(`  base:
    apps:
      certs: {}
      storage: {}
      ingress: { needs: [certs] }
  shop:
    apps:
      db: { needs: [storage], stateful: true }
      web: { needs: [db, { app: ingress, edge: soft }] }
`);
const everything = observed(...[...platform.apps.keys()].map((name) => healthy(name)));
const all = { scope: { kind: 'platform' }, stateful: 'all' } as const;

describe('planTeardown', () => {
  it('is the reversed graph: an app goes after everything that needs it (INV-5)', () => {
    const plan = planTeardown(platform, everything, all);
    expect(plan.waves).toEqual([['web'], ['db', 'ingress'], ['certs', 'storage']]);
    const back = reversed(nodeGraph(platform).graph);
    for (const { node, after } of plan.steps) expect(after).toEqual([...(back.get(node) ?? [])].sort());
    expect(new Set(plan.steps.map(({ action }) => action))).toEqual(new Set(['delete']));
  });

  it('waits for soft dependents as for hard ones: nothing goes while something that wanted it exists', () => {
    expect(step(planTeardown(platform, everything, all), 'ingress')).toMatchObject({ after: ['web'], edges: {} });
  });

  it('keeps a stateful app that was not released by name, and everything it needs (INV-5)', () => {
    const plan = planTeardown(platform, everything, { ...all, stateful: new Set() });
    expect(reasons(plan)).toEqual({
      web: 'teardown',
      db: 'kept: db is stateful; --include-stateful removes it',
      storage: 'kept: db, which needs it, is kept',
      ingress: 'teardown',
      certs: 'teardown',
    });
    expect(planTeardown(platform, everything, { ...all, stateful: new Set(['db']) })).toEqual(
      planTeardown(platform, everything, all),
    );
  });

  it('keeps an app whose part is kept, and what that app needs, unless the part is definitions', () => {
    const withParts = (kinds: string) =>
      platformWith(`  s:
    apps:
      base: {}
      operator: { needs: [base], parts: { part: { kinds: [${kinds}] } } }
      db: { needs: [operator#part], stateful: true }
`);
    const seen = observed(...['base', 'operator', 'db'].map((name) => healthy(name)));
    const keptOf = (kinds: string) =>
      planTeardown(withParts(kinds), seen, { ...all, stateful: new Set() }).steps.filter(({ reason }) =>
        isKept(reason),
      );
    expect(keptOf('CustomResourceDefinition').map(({ node }) => node)).toEqual(['db', 'operator#part']);
    expect(reasons({ steps: keptOf('CustomResourceDefinition, ServiceAccount') })).toMatchObject({
      operator: 'kept: operator#part, a part of it, is kept',
      base: 'kept: operator, which needs it, is kept',
    });
  });

  it('keeps nothing for a stateful app that does not exist', () => {
    const without = observed(healthy('storage'), healthy('certs'));
    const plan = planTeardown(platform, without, { ...all, stateful: new Set() });
    expect(step(plan, 'storage')?.action).toBe('delete');
    expect(step(plan, 'db')).toMatchObject({ action: 'skip', reason: 'Application is not there' });
  });

  it('keeps what something outside the scope still needs', () => {
    const plan = planTeardown(platform, everything, { scope: { kind: 'stack', name: 'base' }, stateful: 'all' });
    expect(reasons(plan)).toEqual({
      ingress: 'kept: web, which needs it, is still there',
      certs: 'kept: ingress, which needs it, is kept',
      storage: 'kept: db, which needs it, is still there',
    });
    expect(plan.steps.every((one) => isKept(one.reason))).toBe(true);
  });

  it('goes on with a deletion that has begun', () => {
    const plan = planTeardown(platform, observed(healthy('certs', { deleting: true })), all);
    expect(step(plan, 'certs')).toMatchObject({ action: 'delete', reason: 'its deletion has begun already' });
  });

  it('gives the same bytes whatever the order of the platform (R2.2)', () => {
    const wide = platformWith(
      '  s:\n    apps:\n      base: {}\n      x: { needs: [base] }\n      a: { needs: [base] }\n      m: { needs: [base] }\n',
    );
    const seen = observed(...['base', 'x', 'a', 'm'].map((name) => healthy(name)));
    const turned = { ...wide, apps: new Map([...wide.apps].reverse()) };
    expect(JSON.stringify(planTeardown(turned, seen, all))).toBe(JSON.stringify(planTeardown(wide, seen, all)));
    expect(step(planTeardown(wide, seen, all), 'base')?.after).toEqual(['a', 'm', 'x']);
  });

  it('is idle on an empty cluster, parts included (INV-6)', () => {
    const parts = platformWith(`  s:
    apps:
      ceph: { needs: [prometheus#crds] }
      prometheus: { needs: [ceph], parts: { crds: { kinds: [CustomResourceDefinition] } } }
`);
    expect(isIdle(planTeardown(platform, nothing, all))).toBe(true);
    expect(isIdle(planTeardown(parts, nothing, all))).toBe(true);
    const there = planTeardown(parts, observed(healthy('ceph'), healthy('prometheus')), all);
    expect(there.waves).toEqual([['prometheus'], ['ceph'], ['prometheus#crds']]);
    expect(isIdle(there)).toBe(false);
  });
});

function step(plan: Plan, node: string) {
  return plan.steps.find((candidate) => candidate.node === node);
}

function reasons(plan: Pick<Plan, 'steps'>): Record<string, string> {
  return Object.fromEntries(plan.steps.map(({ node, reason }) => [node, reason]));
}
