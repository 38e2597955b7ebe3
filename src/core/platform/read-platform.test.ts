import { describe, expect, it } from 'vitest';
import { environment, platformOf, problemsOf } from './read-platform.fixture.ts';

describe('a platform that is right', () => {
  it('has every default filled in', () => {
    const app = platformOf('base: { apps: { web: } }').apps.get('web');
    expect(app).toEqual({
      name: 'web',
      stack: 'base',
      application: 'web',
      type: 'simple',
      needs: [],
      parts: new Map(),
      timeouts: { syncMs: 300_000, healthMs: 300_000 },
      retries: { maxAttempts: 3, backoffMs: 10_000 },
      stateful: false,
      settles: true,
      mayBeEmpty: false,
      probes: [],
      at: { file: 'dag.yaml', line: 5, column: 19 },
    });
    expect(platformOf('base: { apps: { web: } }').environment).toMatchObject({
      argocdNamespace: 'argocd',
      workflowsNamespace: 'argo',
      engine: 'embedded',
      order: 'edges',
      parallelism: 0,
      pvPolicy: 'retain',
    });
  });

  it('keeps what the file says of an app', () => {
    const platform = platformOf(
      `data:
    application: acme-data
    apps:
      pg:
        { type: database, layer: 4, stateful: true, settles: false, mayBeEmpty: true, application: postgres, cluster: prod,
          retries: { maxAttempts: 5 }, probes: [{ http: "http://pg.data.svc:8008/health", expect: { status: 204 } }] }`,
      `${environment}clusterName: prod\n`,
    );
    expect(platform.apps.get('pg')).toMatchObject({
      application: 'postgres',
      type: 'database',
      layer: 4,
      stateful: true,
      settles: false,
      mayBeEmpty: true,
      retries: { maxAttempts: 5, backoffMs: 10_000 },
      probes: [{ http: 'http://pg.data.svc:8008/health', expect: { status: 204 } }],
    });
    expect(platform.stacks.get('data')).toEqual({ name: 'data', application: 'acme-data', apps: ['pg'] });
  });

  it.each([
    ['simple', 5],
    ['operator', 10],
    ['database', 15],
    ['vault', 15],
    ['ceph', 30],
  ])('gives %s %d minutes for sync and health (R3.9)', (type, minutes) => {
    const { timeouts } = platformOf(`s: { apps: { a: { type: ${type} } } }`).apps.get('a') ?? {};
    expect(timeouts).toEqual({ syncMs: minutes * 60_000, healthMs: minutes * 60_000 });
  });

  it('settles time-outs by type, environment, defaults, node, environment overrides, command line: the later wins', () => {
    const stacks = 's: { apps: { a: { type: ceph }, b: { timeouts: { sync: 4m } } } }';
    const a = (...files: Parameters<typeof platformOf>) => minutes(platformOf(...files).apps.get('a')?.timeouts);
    const b = (...files: Parameters<typeof platformOf>) => minutes(platformOf(...files).apps.get('b')?.timeouts);
    const withEnvironment = `${environment}timeouts: { sync: 2m }\n`;
    const withOverride = `${withEnvironment}overrides: { timeouts: { b: { sync: 6m } } }\n`;
    const withDefaults = `${stacks}\ndefaults: { timeouts: { sync: 3m } }`;
    expect(a(stacks)).toEqual([30, 30]);
    expect(a(stacks, withEnvironment)).toEqual([2, 30]);
    expect(a(withDefaults, withEnvironment)).toEqual([3, 30]);
    expect(b(withDefaults, withEnvironment)).toEqual([4, 5]);
    expect(b(withDefaults, withOverride)).toEqual([6, 5]);
    expect(b(withDefaults, withOverride, { nodeTimeouts: new Map([['*', 7 * 60_000]]) })).toEqual([7, 7]);
    const both = new Map([
      ['*', 7 * 60_000],
      ['b', 8 * 60_000],
    ]);
    expect(b(withDefaults, withOverride, { nodeTimeouts: both })).toEqual([8, 8]);
    expect(a(withDefaults, withOverride, { nodeTimeouts: both })).toEqual([7, 7]);
  });

  it('lets the command line win over environment.yaml', () => {
    const overrides = {
      gitRepository: 'https://git.example.com/fork.git',
      gitRevision: 'v2',
      engine: 'argo-workflows',
      order: 'waves',
      parallelism: 4,
      pvPolicy: 'snapshot',
      runTimeoutMs: 60_000,
    } as const;
    const { environment: settled } = platformOf(
      's: { apps: { a: {} } }',
      `${environment}parallelism: 2\nrunTimeout: 1h\n`,
      overrides,
    );
    expect(settled).toMatchObject(overrides);
  });
});

describe('needs', () => {
  it('on a stack mean each of its apps, and a stack passes its needs to each of its own', () => {
    const platform = platformOf(
      'low: { apps: { a: {}, b: {} } }\n  mid: { needs: [low], apps: { c: {} } }\n  top: { apps: { d: { needs: [low] } } }',
    );
    expect(platform.apps.get('c')?.needs).toEqual([
      { node: 'a', edge: 'hard', throughStack: 'mid', at: expect.objectContaining({ line: 6, column: 18 }) },
      { node: 'b', edge: 'hard', throughStack: 'mid', at: expect.objectContaining({ line: 6, column: 18 }) },
    ]);
    expect(platform.apps.get('d')?.needs.map(({ node, throughStack }) => [node, throughStack])).toEqual([
      ['a', 'low'],
      ['b', 'low'],
    ]);
  });

  it('named themselves win over those named through a stack; the strongest wins among equals', () => {
    const needs = '[low, { app: a, edge: soft }, { app: b, edge: soft }, { app: b, edge: once }]';
    const platform = platformOf(
      `low: { apps: { a: {}, b: {}, c: {} } }\n  top: { needs: [low], apps: { d: { needs: ${needs} } } }`,
    );
    expect(platform.apps.get('d')?.needs.map(({ node, edge }) => [node, edge])).toEqual([
      ['a', 'soft'],
      ['b', 'once'],
      ['c', 'hard'],
    ]);
  });

  it('may name a part, which may have needs of its own', () => {
    const platform = platformOf(
      's: { apps: { a: { parts: { crds: { kinds: [CustomResourceDefinition], names: [x], needs: [b] } } }, b: {}, c: { needs: ["a#crds"] } } }',
    );
    expect(platform.apps.get('c')?.needs).toMatchObject([{ node: 'a#crds', edge: 'hard' }]);
    expect(platform.apps.get('a')?.parts.get('crds')).toMatchObject({
      kinds: ['CustomResourceDefinition'],
      names: ['x'],
      needs: [{ node: 'b' }],
    });
  });
});

describe('customisation in environment.yaml (R7.9)', () => {
  const stacks =
    'low: { apps: { a: {}, b: {} } }\n  top: { needs: [b], apps: { c: { needs: [a] }, d: { needs: [{ app: c, edge: soft }] } } }';

  it('replaces all needs of an app', () => {
    const platform = platformOf(stacks, `${environment}overrides: { needs: { c: [d] , d: [] } }\n`);
    expect(platform.apps.get('c')?.needs).toMatchObject([{ node: 'd', at: { file: 'environment.yaml', line: 5 } }]);
    expect(platform.apps.get('d')?.needs).toEqual([]);
  });

  it('keeps a subset; soft needs on what is left out go', () => {
    const platform = platformOf(stacks, `${environment}overrides: { only: [b, d] }\n`);
    expect([...platform.apps.keys()]).toEqual(['b', 'd']);
    expect(platform.apps.get('d')?.needs).toMatchObject([{ node: 'b' }]);
    expect(platform.stacks.get('top')?.apps).toEqual(['d']);
  });

  it('refuses a subset without what it needs, and unknown names', () => {
    expect(
      problemsOf(
        stacks,
        `${environment}overrides: { only: [top], timeouts: { e: { sync: 1m } }, needs: { aa: [] } }\n`,
        { nodeTimeouts: new Map([['bb', 1]]) },
      ),
    ).toMatchInlineSnapshot(`
      "
      environment.yaml:5:20: error: "a" is left out, but "c" needs it.
          Add "a" to only, or leave "c" out too.
      environment.yaml:5:20: error: "b" is left out, but "c" (and 1 more) needs it.
          Add "b" to only, or leave "c" out too.
      environment.yaml:5:39: error: There is no app called "e".
          Remove it, or name an app of dag.yaml.
      environment.yaml:5:67: error: There is no app called "aa".
          Did you mean "a"?
      --node-timeout: error: There is no app called "bb".
          Did you mean "b"?
      "
    `);
  });
});

function minutes(timeouts: { syncMs: number; healthMs: number } | undefined) {
  return [timeouts?.syncMs, timeouts?.healthMs].map((ms) => (ms ?? 0) / 60_000);
}
