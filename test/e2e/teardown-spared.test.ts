import { describe, expect, it } from 'vitest';
import { type Bench, bench, deployOn, platformOf, teardownOn } from '../harness.ts';
import { admin, objects } from './look.ts';

const everything = { stateful: 'all', includeCrds: true, pvPolicy: 'delete' } as const;

const selfManaged = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: selfmade
root: selfmade-root
stacks:
  core:
    application: selfmade-core
    apps:
      argocd: { type: operator }
      sealed-secrets: { type: operator }
      web: { needs: [argocd, sealed-secrets] }
`);

describe('an Argo CD that manages itself', () => {
  it('stays, is said to be kept, and removes all the rest', async () => {
    const on = await deployed();
    await admin(on, 'PATCH', '/apis/apps/v1/namespaces/argocd/deployments/argocd', {
      metadata: { labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    });
    const { run } = await teardownOn(on, everything);
    on.close();
    expect(run).toMatchObject({ outcome: 'clean', exitCode: 0 });
    expect(run.retained).toContainEqual({
      object: 'Deployment argocd/argocd',
      because: 'it is part of the Argo CD that removes all the rest',
      node: 'argocd',
    });
    expect(objects(on).has('Deployment argocd/argocd')).toBe(true);
    expect([...objects(on).keys()].filter((key) => key.startsWith('Application '))).toEqual([]);
    // Argo CD deletes by what it has heard: it is asked whether it has heard of the mark before it is told to delete.
    const said = on.sandbox.requests.map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`);
    const [marked, asked, deleted] = [
      /PATCH .*deployments\/argocd\b.*Delete=false,Prune=confirm/,
      /PATCH .*applications\/argocd\b.*argocd.argoproj.io\/refresh/,
      /DELETE .*applications\/argocd /,
    ].map((wanted) => said.findLastIndex((one) => wanted.test(one)));
    expect(marked).toBeGreaterThan(0);
    expect(asked).toBeGreaterThan(marked ?? 0);
    expect(deleted).toBeGreaterThan(asked ?? 0);
  });

  it('goes like any other app where it is one for somebody else', async () => {
    const on = await deployed();
    const { run } = await teardownOn(on, everything);
    on.close();
    expect([run.exitCode, objects(on).has('Deployment argocd/argocd')]).toEqual([0, false]);
  });
});

describe('what a bootstrap has installed beside an app', () => {
  const key = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'sealed-secrets-key' } };

  it.each([
    ['sealed-secrets', {}],
    // Wherever somebody wanted it: the mark tells.
    ['web', { namespaces: 'argocd web' }],
  ])(
    'is neither removed nor called left behind in %s: the keys that unseal everything are in there (R3.8)',
    async (home, data) => {
      const on = await deployed();
      await admin(on, 'POST', '/api/v1/namespaces/argocd/configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'tiphys-bootstrap' },
        data,
      });
      await admin(on, 'POST', `/api/v1/namespaces/${home}/secrets`, key);
      const { run } = await teardownOn(on, everything);
      on.close();
      expect(run).toMatchObject({ outcome: 'clean', exitCode: 0 });
      expect(objects(on).has(`Secret ${home}/sealed-secrets-key`)).toBe(true);
      expect(objects(on).get(`Namespace /${home}`)?.metadata.labels?.['tiphys.dev/platform']).toBeUndefined();
      expect(objects(on).has('Namespace /web')).toBe(home === 'web');
      expect(run.warnings.map(({ hint }) => hint)).toEqual([
        'The next deploy brings it back, held, as the bootstrap did.',
      ]);
    },
  );

  it('is named as left behind where no bootstrap of ours has been', async () => {
    const on = await deployed();
    await admin(on, 'POST', '/api/v1/namespaces/sealed-secrets/secrets', key);
    const { run } = await teardownOn(on, everything);
    on.close();
    expect(run.orphans.map(({ object }) => object)).toEqual(['Secret sealed-secrets/sealed-secrets-key']);
  });
});

async function deployed(): Promise<Bench> {
  const on = bench(selfManaged);
  expect((await deployOn(on)).run.exitCode).toBe(0);
  return on;
}
