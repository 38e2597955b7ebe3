import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldIn, windowsOf } from '../../src/adapters/argocd/hold-window.ts';
import { closedPort, silentPort } from '../e2e/bootstrap-dead-ends.ts';
import {
  type BrokenBed,
  bootstrapWith,
  brokenBed,
  kindOf,
  kubeconfigTo,
  leftOf,
  otherCharts,
  platform,
  privateFolders,
  reasonOf,
  refused,
  statesOf,
  takeChartAway,
  type Vars,
  withoutDefinitions,
} from './bootstrap-breaks.ts';
import { canBootstrap, helmRevisions, whyNot, writesOf } from './bootstrap-run.ts';
import { clusterSnapshot } from './cluster-snapshot.ts';
import { argo, notRunning } from './empty-bed.ts';
import type { Ended } from './testbed.ts';

const patience = 400_000;
const installed = { revision: 1, status: 'deployed' };
/** Long enough for a pod that comes up, short enough to wait for one that never does. */
const impatient = { release_timeout: '30s' };

const good = {
  'argocd/argocd': [installed],
  'argo/argo-workflows': [installed],
  'argo/tiphys': [installed],
  'argo-events/argo-events': [installed],
  'sealed-secrets/sealed-secrets': [installed],
};

/** Helm’s records after a second revision of this fate. */
function wentBack(status: string): readonly object[] {
  return [
    { revision: 1, status: 'superseded' },
    { revision: 2, status },
    { revision: 3, status: 'deployed' },
  ];
}

// One after the other: each run finishes what the one before has broken, and breaks the next role.
describe.runIf(canBootstrap).sequential(`a bootstrap in which something is wrong${whyNot}`, () => {
  let bed: BrokenBed;
  let before: ReadonlySet<string>;

  beforeAll(async () => {
    bed = await brokenBed('real-broken');
  }, patience);

  afterAll(() => bed?.close(), patience);

  /** A bootstrap with these variables, and what there was before it. */
  async function broken(vars: Vars, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    before = await clusterSnapshot(bed.client);
    return bootstrapWith(bed, vars, env);
  }

  describe('before anything is written', () => {
    it.each([
      ['bootstrap', 'reach the cluster', silentPort, 'no answer within 10 s'],
      ['deploy', 'look for Argo CD', closedPort, 'ECONNREFUSED'],
    ])(
      'ends a %s soon that could not %s, and says what to look at (RFC 4.2: cluster unreachable)',
      async (command, doing, open, why) => {
        const { port, close } = await open();
        const KUBECONFIG = kubeconfigTo(bed, port);
        const begun = Date.now();
        const { exitCode, out, err } = await refused(bed, [command, platform], { KUBECONFIG }).finally(close);
        expect([exitCode, out]).toEqual([1, '']);
        expect(err).toContain(`error: could not ${doing}`);
        expect(err).toMatch(new RegExp(`no answer to GET .*${why}`));
        expect(err).toContain('Is the cluster up, and is this the right kubeconfig and context?');
        expect(Date.now() - begun).toBeLessThan(40_000);
        expect(privateFolders(bed)).toEqual([]);
      },
      patience,
    );

    it(
      'ends with exit 3 when a chart is missing or another one, and names them all (R6.1)',
      async () => {
        const since = Date.now();
        const charts = otherCharts(bed, 'argo-events', 'sealed-secrets');
        const { exitCode, out, err } = await refused(bed, ['bootstrap', platform, '--charts', charts], {});
        expect([exitCode, out]).toEqual([3, '']);
        expect(err).toMatch(/argo-events \S+: neither \S+\/argo-events\/Chart.yaml nor \S+\.tgz is there/);
        expect(err).toMatch(/sealed-secrets \S+: its digest is sha256:\w+, the lock wants sha256:/);
        expect(err).toContain('Give a folder with all of them, or a mirror, with --charts');
        expect(await writesOf(bed.state, since)).toEqual([]);
        expect(privateFolders(bed)).toEqual([]);
      },
      patience,
    );
  });

  describe('argocd', () => {
    it(
      'is taken away again when no node has room for it, and what the scheduler says is told (RFC 4.10 scenario 1, R6.2)',
      async () => {
        const ended = await broken({
          ...impatient,
          argocd_values: { controller: { resources: { requests: { cpu: '1000' } } } },
        });
        const reason = reasonOf(ended, 'argocd', 'rolled_back');
        expect(reason).toMatch(/^Install the chart argo-cd: .*(deadline|timed out|not ready)/);
        expect(reason).toMatch(/argocd-application-controller-0: .*Insufficient cpu/);
        expect(kindOf(ended)).toBe('No node takes it');
        expect(statesOf(ended)).toMatchObject({ 'argo-workflows': 'blocked', 'gitops-handoff': 'blocked' });
        expect(await helmRevisions(bed.client)).toEqual({});
        expect(await leftOf('argocd', bed, before)).toEqual([]);
      },
      patience,
    );
  });

  describe('argo-workflows', () => {
    it(
      'has its first chart taken back when the schema of the second refuses its values; argocd, mended, is installed',
      async () => {
        const ended = await broken({ tiphys_values: { agent: { replicas: 'two' } } });
        expect(reasonOf(ended, 'argo-workflows', 'rolled_back')).toMatch(
          /^Install the chart tiphys: .*values don't meet the specifications.*replicas/,
        );
        expect(statesOf(ended)).toMatchObject({ argocd: 'healthy', 'argo-events': 'blocked' });
        expect(await helmRevisions(bed.client)).toEqual({ 'argocd/argocd': [installed] });
        expect(await leftOf('argo-workflows', bed, before)).toEqual([]);
      },
      patience,
    );
  });

  describe('argo-events', () => {
    it(
      'is taken back when RBAC refuses its definitions, and who may not do what is told (RFC 4.2: CRD installation failed)',
      async () => {
        const ended = await broken({}, { KUBECONFIG: await withoutDefinitions(bed) });
        const reason = reasonOf(ended, 'argo-events', 'rolled_back');
        expect(reason).toContain('customresourcedefinitions.apiextensions.k8s.io');
        expect(reason).toContain('User "system:serviceaccount:default:almost-admin" cannot create');
        expect(kindOf(ended)).toBe('Definitions refused');
        expect(statesOf(ended)).toMatchObject({ argocd: 'skipped', 'argo-workflows': 'healthy' });
        expect(await helmRevisions(bed.client)).not.toHaveProperty('argo-events/argo-events');
        expect(await leftOf('argo-events', bed, before)).toEqual([]);
      },
      patience,
    );
  });

  describe('sealed-secrets', () => {
    it(
      'is taken back when the API server refuses a value, and its words are told; argo-events, mended, is installed',
      async () => {
        const ended = await broken({ sealed_secrets_values: { resources: { requests: { cpu: 'lots' } } } });
        const reason = reasonOf(ended, 'sealed-secrets', 'rolled_back');
        expect(reason).toMatch(/^Install the chart sealed-secrets: .*quantities must match/);
        expect(reason).toContain('of the values, sealed_secrets_values sets resources.requests.cpu');
        expect(statesOf(ended)).toMatchObject({ 'argo-events': 'healthy', 'gitops-handoff': 'blocked' });
        expect(await helmRevisions(bed.client)).not.toHaveProperty('sealed-secrets/sealed-secrets');
        expect(await leftOf('sealed-secrets', bed, before)).toEqual([]);
      },
      patience,
    );

    it(
      'fails without a write when its chart vanishes in the middle of the run',
      async () => {
        const since = Date.now();
        const [ended] = await Promise.all([bootstrapWith(bed, {}), takeChartAway(bed, 'sealed-secrets')]);
        expect(reasonOf(ended, 'sealed-secrets', 'failed')).toMatch(
          /The chart sealed-secrets is missing: there is no /,
        );
        expect(await writesOf(bed.state, since)).toEqual([]);
      },
      patience,
    );
  });

  describe('gitops-handoff', () => {
    it(
      'takes root, hold and accounts back when Argo CD cannot read the platform; sealed-secrets, mended, is installed',
      async () => {
        const ended = await broken({ root_path: 'no-such-folder', validate_timeout_seconds: 16, validate_retries: 8 });
        expect(reasonOf(ended, 'gitops-handoff', 'rolled_back')).toMatch(
          /Argo CD cannot compare hello-root with no-such-folder of file:.*app path does not exist/,
        );
        expect(statesOf(ended)).toMatchObject({ 'sealed-secrets': 'healthy' });
        expect(await leftOf('gitops-handoff', bed, before)).toEqual([]);
        expect(await held()).toEqual([]);
        expect(await mark()).toMatchObject({ data: { platform: 'hello', state: 'installing' } });
      },
      patience,
    );

    it(
      'succeeds when that is mended: every release is at its first revision, and the root is held (R6.2, INV-1)',
      async () => {
        const ended = await broken({});
        expect([ended.exitCode, ended.report.failures], ended.err).toEqual([0, []]);
        expect(await helmRevisions(bed.client)).toEqual(good);
        expect(await held()).toEqual(['hello-root']);
        expect(await mark()).toMatchObject({ data: { state: 'handed-over' } });
      },
      patience,
    );
  });

  describe('an upgrade', () => {
    it(
      'whose settings our test refuses goes back to the revision before it, and that one runs again (R6.2)',
      async () => {
        const template = await templateOf('apps/v1', 'argocd/statefulsets/argocd-application-controller');
        const params = { 'controller.resource.health.persist': 'false' };
        const ended = await broken({ argocd_values: { configs: { params } } });
        expect(reasonOf(ended, 'argocd', 'rolled_back')).toMatch(
          /controller\.resource\.health\.persist is “false”\. Does argocd_values overwrite them\?/,
        );
        expect(await helmRevisions(bed.client)).toEqual({ ...good, 'argocd/argocd': wentBack('superseded') });
        const after = await templateOf('apps/v1', 'argocd/statefulsets/argocd-application-controller');
        expect(after).toEqual(template);
        expect(await settings()).toMatchObject({ data: { 'controller.resource.health.persist': 'true' } });
        expect(notRunning(bed.state)).toEqual([]);
      },
      patience,
    );

    it(
      'whose controller does not start goes back by Helm’s own way, and says so (RFC 4.2: Workflow controller failed)',
      async () => {
        const deployment = 'argo/deployments/argo-workflows-workflow-controller';
        const template = await templateOf('apps/v1', deployment);
        const ended = await broken({
          ...impatient,
          argo_workflows_values: { controller: { extraArgs: ['--no-such'] } },
        });
        expect(reasonOf(ended, 'argo-workflows', 'rolled_back')).toMatch(/^Install the chart argo-workflows: /);
        expect(kindOf(ended)).toBe('Not ready in time');
        expect(await helmRevisions(bed.client)).toMatchObject({
          'argo/argo-workflows': wentBack('failed'),
          'argo/tiphys': [installed],
        });
        expect(await templateOf('apps/v1', deployment)).toEqual(template);
        expect(notRunning(bed.state)).toEqual([]);
      },
      patience,
    );

    it(
      'leaves a platform behind in which the next bootstrap finds nothing to do, and nothing beside the playbooks (INV-6)',
      async () => {
        const since = Date.now();
        const ended = await broken({});
        expect([ended.exitCode, new Set(Object.values(statesOf(ended)))], ended.err).toEqual([0, new Set(['skipped'])]);
        expect(await writesOf(bed.state, since)).toEqual([]);
        expect(existsSync('bootstrap/playbooks/.kube')).toBe(false);
      },
      patience,
    );
  });

  async function held(): Promise<readonly string[]> {
    const project = await bed.client.get<{ metadata: { name: string } }>(`${argo}/argocd/appprojects/default`);
    return project === undefined ? [] : heldIn(windowsOf(project), 'hello');
  }

  function mark(): Promise<unknown> {
    return bed.client.get('/api/v1/namespaces/argocd/configmaps/tiphys-bootstrap');
  }

  function settings(): Promise<unknown> {
    return bed.client.get('/api/v1/namespaces/argocd/configmaps/argocd-cmd-params-cm');
  }

  async function templateOf(api: string, path: string): Promise<unknown> {
    const found = await bed.client.get<{ spec: { template: unknown } }>(`/apis/${api}/namespaces/${path}`);
    return found?.spec.template;
  }
});
