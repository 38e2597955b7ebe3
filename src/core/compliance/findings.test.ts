import { describe, expect, it } from 'vitest';
import { healthy, observed, platformWith, resource } from '../plan/observed.fixture.ts';
import type { ObservedApplication } from '../plan/observed.ts';
import type { App } from '../platform/platform.ts';
import { findings } from './findings.ts';
import { orderingHook } from './ordering-hook.ts';

const stacks = `  data:
    application: stack-data
    apps:
      db: {}
      web: { needs: [db], application: web-frontend }
      lax: { mayBeEmpty: true, needs: [{ app: db, edge: soft }] }
`;
const platform = platformWith(stacks);
const old = '2026-01-01T00:00:00Z';

describe('what validate finds against the rules', () => {
  it('is nothing for a platform as it should be', () => {
    expect(findings(platform, observed(healthy('db'), healthy('web-frontend')))).toEqual([]);
  });

  const rows: [rule: string, severity: string, seen: Partial<ObservedApplication>, what: string][] = [
    [
      'deployed-in-order',
      'warning',
      { history: [{ revision: undefined, deployedAt: old }] },
      `web was first deployed ${old}, before db`,
    ],
    ['no-ordering-annotations', 'warning', { syncWave: '-3' }, 'web its Application carries sync wave -3'],
    ['no-ordering-annotations', 'warning', { hook: 'PreSync' }, 'hook PreSync'],
    ['cascade-finalizer', 'info', { finalizers: ['foregroundDeletion'] }, 'web has no cascade finalizer'],
    ['auto-sync', 'info', { automated: false }, 'web has automated sync switched off'],
    ['fresh-verdict', 'warning', { reconciledAt: undefined }, 'web its verdict is older than its last sync'],
    ['fresh-verdict', 'warning', { reconciledAt: old }, 'web its verdict is older than its last sync'],
    ['not-empty', 'warning', { resources: [] }, 'web is Healthy only because it is empty'],
  ];
  it.each(rows)('%s (%s)', (rule, severity, seen, what) => {
    const found = findings(platform, observed(healthy('db'), healthy('web-frontend', seen)));
    expect(found).toEqual([
      expect.objectContaining({ rule, severity, node: 'web', what: expect.stringContaining(what) }),
    ]);
    expect(found[0]?.remedy.length).toBeGreaterThan(10);
  });

  it('says that a deployed app is still held, rather than that its automation is off', () => {
    const seen = observed(healthy('web-frontend', { automated: false }));
    const projects = new Map([['default', { name: 'default', held: ['web-frontend'] }]]);
    expect(findings(platform, { ...seen, projects }).map(({ rule }) => rule)).toEqual(['not-held']);
  });

  it('accepts the background form of the cascade finalizer, an empty app that may be, and soft order', () => {
    const lax = healthy('lax', {
      resources: [],
      history: [{ revision: undefined, deployedAt: old }],
      finalizers: ['resources-finalizer.argocd.argoproj.io/background'],
    });
    expect(findings(platform, observed(healthy('db'), lax))).toEqual([]);
  });

  it('names an Application under our parents that dag.yaml does not know', () => {
    const children = ['db', 'web-frontend', 'stranger'].map((name) => resource('Application', name));
    expect(findings(platform, observed(healthy('stack-data', { resources: children })))).toEqual([
      expect.objectContaining({ rule: 'known-to-the-dag', object: 'Application stranger' }),
    ]);
  });

  it('is sorted by app and rule whatever the order of the platform', () => {
    const seen = observed(
      healthy('db', { automated: false }),
      healthy('web-frontend', { automated: false, syncWave: '1' }),
    );
    const turned = { ...platform, apps: new Map([...platform.apps].reverse()) };
    expect(findings(turned, seen)).toEqual(findings(platform, seen));
  });
});

describe('orderingHook (INV-8)', () => {
  const web = platform.apps.get('web') as App;
  const job = (command: readonly string[]) => ({
    kind: 'Job',
    name: 'before',
    live: { spec: { template: { spec: { containers: [{ command }] } } } },
  });

  it.each([
    [['kubectl', 'wait', '--for=condition=Ready', 'pod/db'], 'runs a command that waits'],
    [['sh', '-c', 'kubectl rollout status deployment/db'], 'runs a command that waits'],
    [['argocd', 'app', 'wait', 'db'], 'runs a command that waits'],
    [['sh', '-c', 'until nc -z db.data.svc 5432; do sleep 1; done'], 'calls db'],
  ])('finds %j', (command, why) => {
    expect(orderingHook(platform, web, job(command))).toMatchObject({
      rule: 'no-ordering-hooks',
      severity: 'error',
      what: `web hook Job before ${why}: ordering between Applications by hook (INV-8)`,
    });
  });

  it.each([[['migrate', 'up']], [['sh', '-c', 'curl http://web.shop.svc/init']], [['kubectl', 'apply', '-f', 'x']]])(
    'leaves an application’s own hook alone: %j',
    (command) => {
      expect(orderingHook(platform, web, job(command))).toBeUndefined();
    },
  );

  it('says nothing about a hook that is gone', () => {
    expect(orderingHook(platform, web, { kind: 'Job', name: 'before', live: undefined })).toBeUndefined();
  });
});
