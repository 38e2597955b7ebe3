import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isIdle } from './assemble-plan.ts';
import { healthy, nothing, observed, platformWith, resource } from './observed.fixture.ts';
import type { Observed } from './observed.ts';
import type { Plan } from './plan.ts';
import { planDeploy } from './plan-deploy.ts';

const shop = platformWith(`  base:
    apps:
      certs: { type: operator }
      ingress: { needs: [certs] }
  shop:
    apps:
      db: { type: database }
      web: { needs: [db, { app: ingress, edge: soft }] }
      audit: { needs: [{ app: db, edge: once }] }
`);
const whole = { scope: { kind: 'platform' } } as const;

describe('planDeploy', () => {
  it('syncs what is missing, after everything it needs, and says why', () => {
    const plan = planDeploy(shop, nothing, whole);
    expect(actions(plan)).toEqual({ audit: 'sync', certs: 'sync', db: 'sync', ingress: 'sync', web: 'sync' });
    expect(plan.waves).toEqual([['certs', 'db'], ['audit', 'ingress'], ['web']]);
    expect(step(plan, 'web')).toEqual({
      node: 'web',
      stack: 'shop',
      application: 'web',
      action: 'sync',
      reason: 'Application missing',
      after: ['db', 'ingress'],
      edges: { ingress: 'soft' },
      wave: 2,
    });
    expect(plan.criticalPath).toEqual(['db', 'audit']);
    expect(isIdle(plan)).toBe(false);
  });

  it('skips what is Healthy at the wanted revision, with the evidence', () => {
    const plan = planDeploy(shop, observed(healthy('db')), whole);
    expect(step(plan, 'db')).toMatchObject({
      action: 'skip',
      reason: 'Healthy at the wanted revision',
      evidence: { sync: 'Synced', health: 'Healthy', resources: 1 },
    });
    expect(step(plan, 'web')?.after).toEqual(['db', 'ingress']);
    expect(plan.criticalPath).not.toContain('db');
  });

  it('is idle when everything is Healthy (INV-6)', () => {
    const names = [...shop.apps.keys()];
    expect(isIdle(planDeploy(shop, observed(...names.map((name) => healthy(name))), whole))).toBe(true);
  });

  it('takes expected seconds from what is known, and guesses by type otherwise', () => {
    const plan = planDeploy(shop, nothing, { ...whole, seconds: new Map([['certs', 5_000]]) });
    expect(plan.criticalPath).toEqual(['certs', 'ingress', 'web']);
  });

  it('gives the same bytes whatever the order of what was observed and declared (R2.2)', () => {
    const all = ['certs', 'db', 'ingress'].map((name) => healthy(name));
    const expected = JSON.stringify(planDeploy(shop, observed(...all), whole));
    fc.assert(
      fc.property(
        fc.shuffledSubarray(all, { minLength: all.length }),
        fc.shuffledSubarray([...shop.apps], { minLength: shop.apps.size }),
        fc.shuffledSubarray([...shop.stacks], { minLength: shop.stacks.size }),
        (applications, apps, stacks) => {
          const shuffled = { ...shop, apps: new Map(apps), stacks: new Map(stacks) };
          expect(JSON.stringify(planDeploy(shuffled, observed(...applications), whole))).toBe(expected);
        },
      ),
    );
  });
});

describe('the scope of a deployment', () => {
  it('is one app with its needs, its dependents, or both, when asked for', () => {
    const names = (along?: 'needs' | 'dependents' | 'both'): string[] =>
      planDeploy(shop, nothing, { scope: { kind: 'app', name: 'ingress' }, ...(along && { with: along }) })
        .steps.map(({ node }) => node)
        .sort();
    expect(names()).toEqual(['ingress']);
    expect(names('needs')).toEqual(['certs', 'ingress']);
    expect(names('dependents')).toEqual(['ingress', 'web']);
    expect(names('both')).toEqual(['certs', 'ingress', 'web']);
  });

  it('refuses an app whose need is not Healthy, with the place and what to do (R2.6)', () => {
    const plan = planDeploy(shop, nothing, { scope: { kind: 'app', name: 'ingress' } });
    expect(plan.problems).toEqual([
      {
        severity: 'error',
        at: { file: 'dag.yaml', line: 8, column: 26 },
        what: 'ingress needs certs, which is not Healthy: Application missing',
        remedy: 'Deploy certs first, or add --with needs to bring everything ingress needs along.',
      },
    ]);
  });

  it('accepts it once the need is Healthy, or comes along, or was only a matter of order', () => {
    const app = (name: string) => ({ scope: { kind: 'app', name } }) as const;
    const problems = (seen: Observed, options: Parameters<typeof planDeploy>[2]): number =>
      planDeploy(shop, seen, options).problems.length;
    expect(problems(observed(healthy('certs')), app('ingress'))).toBe(0);
    expect(problems(nothing, { ...app('ingress'), with: 'needs' })).toBe(0);
    expect(problems(observed(healthy('db')), app('web'))).toBe(0);
    expect(problems(observed(healthy('certs')), app('web'))).toBe(1);
    expect(problems(nothing, { scope: { kind: 'stack', name: 'shop' } })).toBe(0);
  });

  it('does not refuse what is Healthy already, though a need of it is not', () => {
    const plan = planDeploy(shop, observed(healthy('ingress')), { scope: { kind: 'app', name: 'ingress' } });
    expect(plan.problems).toEqual([]);
  });
});

describe('once edges', () => {
  const down = healthy('db', { health: { status: 'Degraded', message: undefined } });
  const drifted = healthy('audit', { sync: { status: 'OutOfSync', revision: undefined } });

  it('order the first deployment like hard ones', () => {
    const plan = planDeploy(shop, observed(down), whole);
    expect(step(plan, 'audit')).toMatchObject({ after: ['db'], edges: { db: 'once' } });
    expect(planDeploy(shop, observed(down), { scope: { kind: 'app', name: 'audit' } }).problems).toHaveLength(1);
  });

  it('order nothing any more once the app was deployed behind its gate', () => {
    expect(step(planDeploy(shop, observed(down, drifted), whole), 'audit')?.after).toEqual([]);
    expect(planDeploy(shop, observed(down, drifted), { scope: { kind: 'app', name: 'audit' } }).problems).toEqual([]);
  });

  it('are not met by a sync of only some objects', () => {
    // Argo CD's history holds whole syncs only.
    const part = { ...drifted, history: [] };
    expect(step(planDeploy(shop, observed(down, part), whole), 'audit')?.after).toEqual(['db']);
  });
});

describe('parts', () => {
  const dag = (needs: string) => `  s:
    apps:
      ceph: ${needs}
      prometheus:
        needs: [ceph]
        parts: { crds: { kinds: [CustomResourceDefinition] } }
`;
  const platform = platformWith(dag('{ needs: [prometheus#crds] }'));
  const crd = resource('CustomResourceDefinition', 'monitors.example.com', { namespace: undefined });
  const rest = resource('Deployment', 'prometheus', { group: 'apps', sync: 'OutOfSync' });
  const outOfSync = { sync: { status: 'OutOfSync', revision: undefined } } as const;

  it('are steps of their own only when somebody needs them', () => {
    expect(actions(planDeploy(platformWith(dag('{}')), nothing, whole))).toEqual({ ceph: 'sync', prometheus: 'sync' });
    const plan = planDeploy(platform, nothing, whole);
    expect(plan.waves).toEqual([['prometheus#crds'], ['ceph'], ['prometheus']]);
    expect(step(plan, 'prometheus#crds')?.action).toBe('part');
    expect(step(plan, 'prometheus')?.after).toEqual(['ceph', 'prometheus#crds']);
  });

  it('are skipped when their own objects are Synced, whatever the rest of the app does', () => {
    const seen = observed(healthy('prometheus', { ...outOfSync, resources: [crd, rest] }));
    const plan = planDeploy(platform, seen, whole);
    expect(step(plan, 'prometheus#crds')).toMatchObject({ action: 'skip', evidence: { resources: 1 } });
    expect(step(plan, 'prometheus')?.action).toBe('sync');
  });

  it('say what is missing of them', () => {
    const reason = (resources: (typeof crd)[]): string | undefined =>
      step(planDeploy(platform, observed(healthy('prometheus', { ...outOfSync, resources })), whole), 'prometheus#crds')
        ?.reason;
    expect(reason([rest])).toBe('no CustomResourceDefinition of prometheus seen yet');
    expect(reason([{ ...crd, sync: 'OutOfSync' }, crd, rest])).toBe('1 of 2 objects of this part are not Synced');
  });
});

function step(plan: Plan, node: string) {
  return plan.steps.find((candidate) => candidate.node === node);
}

function actions(plan: Plan): Record<string, string> {
  return Object.fromEntries(plan.steps.map(({ node, action }) => [node, action]));
}
