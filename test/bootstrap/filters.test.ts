import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { heldIn, withHold } from '../../src/adapters/argocd/hold-window.ts';
import { filter, findPython } from './python.ts';

const withPython = describe.runIf(findPython() !== undefined);
const title = (what: string): string => (findPython() === undefined ? `${what} (skipped: no python3)` : what);

const theirs = {
  kind: 'allow',
  schedule: '0 22 * * *',
  duration: '1h',
  timeZone: 'Europe/Berlin',
  applications: ['*'],
};
const ours = withHold([], 'acme', ['platform-root']);
const othersToo = [theirs, ...withHold([], 'acme-two', ['z']), ...ours];

withPython(title('the hold that Ansible sets'), () => {
  it.each([
    ['in a project without windows', [], ['platform-root']],
    ['beside the windows of others', othersToo, ['platform-root', 'b']],
    ['that names nobody any more', othersToo, []],
  ])('is the window that deploy makes and reads (INV-1): %s', (_case, windows, applications) => {
    const { value } = filter('hold_window', 'with_hold', windows, 'acme', applications);
    expect(value).toEqual(withHold(windows, 'acme', applications));
    expect(filter('hold_window', 'held_in', value, 'acme')).toEqual({ value: heldIn(value as [], 'acme') });
  });

  it('copes with a project that has no field for windows', () => {
    expect(filter('hold_window', 'held_in', null, 'acme')).toEqual({ value: [] });
    expect(filter('hold_window', 'with_hold', null, 'acme', ['r'])).toEqual({ value: withHold([], 'acme', ['r']) });
  });
});

withPython(title('what makes a second bootstrap write nothing (INV-6)'), () => {
  const live = {
    metadata: { name: 'x', labels: { a: '1', b: '2' } },
    spec: { list: [{ name: 'n', added: true }] },
    status: {},
  };

  it.each([
    ['a part of it', { metadata: { name: 'x', labels: { a: '1' } } }, true],
    ['with what a server adds to an element of a list', { spec: { list: [{ name: 'n' }] } }, true],
    ['a changed value', { metadata: { labels: { a: '2' } } }, false],
    ['a field that is missing', { spec: { other: 1 } }, false],
    ['a longer list', { spec: { list: [{ name: 'n' }, { name: 'm' }] } }, false],
  ])('an object is as wanted: %s', (_case, wanted, isThere) => {
    expect(filter('objects', 'covers', live, wanted)).toEqual({ value: isThere });
  });

  it('an object is written back without what belongs to the server or to a running sync', () => {
    const before = { ...live, operation: { sync: {} }, metadata: { ...live.metadata, uid: 'u', resourceVersion: '1' } };
    expect(filter('objects', 'restorable', before)).toEqual({ value: { metadata: live.metadata, spec: live.spec } });
    const now = { metadata: { name: 'x', resourceVersion: '7' } };
    expect(filter('objects', 'restorable', before, [now])).toMatchObject({
      value: { metadata: { resourceVersion: '7' } },
    });
  });

  it.each([
    ['says so', [{ status: { conditions: [{ type: 'Deployed', status: 'True' }] } }], true],
    ['says no', [{ status: { conditions: [{ type: 'Deployed', status: 'False' }] } }], false],
    ['says something else', [{ status: { conditions: [{ type: 'Configured', status: 'True' }] } }], false],
    ['says nothing yet', [{}], false],
    ['is not there', [], false],
  ])('shows a condition when it %s: %o → %s', (_what, found, isSo) => {
    expect(filter('objects', 'shows', found, 'Deployed')).toEqual({ value: isSo });
  });

  it('the rights of deploy/rbac move into the namespace of Argo CD, and nothing else of them changes', () => {
    const account = { kind: 'ServiceAccount', metadata: { name: 'a', namespace: 'argocd' } };
    const binding = {
      kind: 'ClusterRoleBinding',
      metadata: { name: 'b' },
      subjects: [{ name: 'a', namespace: 'argocd' }],
    };
    expect(filter('objects', 'in_namespace', [account, null, binding], 'gitops')).toEqual({
      value: [
        { ...account, metadata: { name: 'a', namespace: 'gitops' } },
        { ...binding, subjects: [{ name: 'a', namespace: 'gitops' }] },
      ],
    });
  });
});

withPython(title('readiness, as validate sees it (R6.2)'), () => {
  const wanted = [{ kind: 'Deployment', name: 'server' }];
  const deployment = (status: object, replicas?: number) => ({
    metadata: { name: 'server', generation: 2 },
    spec: replicas === undefined ? {} : { replicas },
    status,
  });

  it.each([
    ['is missing', []],
    ['has 0 of 1 replicas ready', [deployment({ observedGeneration: 2 })]],
    ['has 1 of 2 replicas ready', [deployment({ observedGeneration: 2, readyReplicas: 1, updatedReplicas: 2 }, 2)]],
    ['has 1 of 2 replicas updated', [deployment({ observedGeneration: 2, readyReplicas: 2, updatedReplicas: 1 }, 2)]],
    [
      'has not been looked at by its controller since it changed',
      [deployment({ observedGeneration: 1, readyReplicas: 1 })],
    ],
  ])('a workload that %s is named', (trouble, found) => {
    expect(filter('workloads', 'unready', found, 'Deployment', wanted)).toEqual({
      value: [`Deployment server ${trouble}`],
    });
  });

  it('a workload with all its replicas, or that shall have none, is ready', () => {
    const good = { observedGeneration: 2, readyReplicas: 1, updatedReplicas: 1 };
    expect(filter('workloads', 'unready', [deployment(good)], 'Deployment', wanted)).toEqual({ value: [] });
    expect(filter('workloads', 'unready', [deployment({ observedGeneration: 2 }, 0)], 'Deployment', wanted)).toEqual({
      value: [],
    });
    expect(filter('workloads', 'unready', [], 'StatefulSet', wanted)).toEqual({ value: [] });
  });

  it('what a loop over kinds has found is judged as a whole', () => {
    const both = [...wanted, { kind: 'StatefulSet', name: 'controller' }];
    const results = [
      { kind: 'Deployment', resources: [deployment({ observedGeneration: 2 })] },
      { kind: 'StatefulSet', failed: true },
    ];
    expect(filter('workloads', 'unready_in', results, 'kind', both)).toEqual({
      value: ['Deployment server has 0 of 1 replicas ready', 'StatefulSet controller is missing'],
    });
    expect(filter('workloads', 'missing_in', results, 'kind', both)).toEqual({ value: ['StatefulSet controller'] });
    expect(filter('workloads', 'missing_in', [], 'kind', [])).toEqual({ value: [] });
  });

  it('workloads are those of the rendered release, also of one that is not installed', () => {
    const manifest = [
      null,
      { kind: 'Service', metadata: { name: 's' } },
      { kind: 'StatefulSet', metadata: { name: 'b' } },
    ];
    expect(filter('workloads', 'workloads_of', manifest)).toEqual({ value: [{ kind: 'StatefulSet', name: 'b' }] });
    expect(filter('workloads', 'workloads_of', null)).toEqual({ value: [] });
  });
});

withPython(title('the health checks that Argo CD gets (R4.6)'), () => {
  it('are the files that the tests run, each under the key of its kind', () => {
    const folder = fileURLToPath(new URL('../../src/core/health/lua', import.meta.url));
    const kinds = readdirSync(folder).sort();
    const texts = kinds.map((kind) => readFileSync(join(folder, kind, 'health.lua'), 'utf8'));
    const { value } = filter('files', 'health_checks', folder);
    expect(value).toEqual(
      Object.fromEntries(kinds.map((kind, index) => [`resource.customizations.health.${kind}`, texts[index]])),
    );
    expect(kinds).toContain('argoproj.io_Application');
  });
});

withPython(title('the way back (R6.2)'), () => {
  const record = (version: string, status: string) => ({ metadata: { labels: { version, status } } });

  it('leads to the newest revision that once was deployed', () => {
    const records = [
      record('2', 'superseded'),
      record('10', 'deployed'),
      record('11', 'failed'),
      record('12', 'pending-upgrade'),
    ];
    expect(filter('releases', 'last_good', records)).toEqual({ value: 10 });
  });

  it('leads to nothing where a first install was interrupted', () => {
    expect(filter('releases', 'last_good', [record('1', 'pending-install')])).toEqual({ value: 0 });
    expect(filter('releases', 'last_good', [])).toEqual({ value: 0 });
  });

  it('is told with Helm’s own words', () => {
    const msg =
      'Failure when executing Helm command. Exited 1.\nstdout: \nstderr: Error: INSTALLATION FAILED:\n  values do not fit\n';
    expect(filter('releases', 'failure', { msg }, { name: 'Install argo-cd' })).toEqual({
      value: 'Install argo-cd: Error: INSTALLATION FAILED: values do not fit',
    });
  });

  it('is told with the sentence of the item that failed, or with how often it was tried', () => {
    const items = { msg: 'One or more items failed', results: [{ msg: 'good' }, { failed: true, msg: 'bad' }] };
    expect(filter('releases', 'failure', items, { name: 'T' })).toEqual({ value: 'T: bad' });
    expect(filter('releases', 'failure', { attempts: 30 }, {})).toEqual({ value: 'a task: not so after 30 attempts' });
  });

  it('tells nothing of a task that must not be shown (R7.5)', () => {
    for (const [result, task] of [
      [{ msg: 'password: hunter2' }, { name: 'T', no_log: true }],
      [{ censored: 'hidden', msg: 'hunter2' }, { name: 'T' }],
    ])
      expect(JSON.stringify(filter('releases', 'failure', result, task))).not.toContain('hunter2');
  });

  it('can name the places of values that are not the role’s own, never what they are (R7.5)', () => {
    const many = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`v${index}`, 'hunter2']));
    const { value } = filter('releases', 'given', {
      argocd_values: { configs: { cm: { 'a.b': 'hunter2' } }, list: ['hunter2'], nothing: {} },
      tiphys_values: {},
      argo_events_values: many,
    });
    expect(value).toMatch(
      /^argocd_values sets configs\.cm\.a\\\.b, list, nothing; argo_events_values sets v0, .*v11 and 2 more$/,
    );
    expect(value).not.toContain('hunter2');
    expect(filter('releases', 'given', { argocd_values: {} })).toEqual({ value: '' });
  });

  it('knows which overrides could not be laid over values', () => {
    expect(filter('releases', 'not_mappings', { good: {}, list: [], text: 'a: 1', none: null })).toEqual({
      value: ['list', 'text', 'none'],
    });
  });
});
