import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { writeKubeconfig } from '../../testbed/cluster/kubeconfigs.ts';
import type { TestbedState } from '../../testbed/cluster/state.ts';
import { openTestbed } from '../../testbed/world/open-testbed.ts';
import { tiphysOn, tiphysToItsEnd } from './bootstrap-run.ts';
import { clusterSnapshot } from './cluster-snapshot.ts';
import { known, testbed } from './empty-bed.ts';
import { buildProgram } from './program.ts';
import type { Ended } from './testbed.ts';
import { eventually } from './waiting.ts';

/** An empty cluster, and our program beside it. */
export interface BrokenBed {
  readonly state: TestbedState;
  readonly client: KubeClient;
  readonly program: string;
  /** For what a test gives to the program; also its TMPDIR. */
  readonly scratch: string;
  close(): Promise<void>;
}

export const platform = 'platforms/hello';

export async function brokenBed(name: string): Promise<BrokenBed> {
  await testbed('down', name, '--delete');
  const program = await buildProgram(name);
  await testbed('up', name, '--empty');
  await testbed('publish', name, platform);
  const state = known(name);
  const { client, close } = await openTestbed(state);
  const scratch = mkdtempSync(join(tmpdir(), `${name}-`));
  return {
    state,
    client,
    program,
    scratch,
    async close() {
      close();
      rmSync(scratch, { recursive: true, force: true });
      await testbed('down', name, '--delete');
    },
  };
}

export type Vars = Readonly<Record<string, unknown>>;

/** One bootstrap to its end, with these variables of the roles. */
export function bootstrapWith(bed: BrokenBed, vars: Vars, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const file = join(bed.scratch, 'vars.json');
  writeFileSync(file, JSON.stringify(vars));
  return tiphysToItsEnd(bed.state, {
    program: bed.program,
    args: ['bootstrap', platform, '--vars', file],
    env: { TMPDIR: bed.scratch, ...env },
  });
}

/** A run that ends before there is anything to report: what it says of it. */
export async function refused(
  bed: BrokenBed,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly exitCode: number | null; readonly out: string; readonly err: string }> {
  const { ended, said } = tiphysOn(bed.state, {
    program: bed.program,
    args: words,
    env: { TMPDIR: bed.scratch, ...env },
  });
  const exitCode = await ended;
  return { exitCode, ...said };
}

/** Exit 1 for this role and no other, which says that it has gone back; the reason it gives. */
export function reasonOf({ exitCode, report, err }: Ended, role: string, status: 'rolled_back' | 'failed'): string {
  expect([exitCode, report.failures.map(({ node }) => node)], err).toEqual([1, [role]]);
  const [failure] = report.failures;
  const because = failure?.because ?? '';
  expect(because.includes('; rolled back: what was there before is there again')).toBe(status === 'rolled_back');
  expect(failure?.hint).toMatch(/^Mend what the message names, then run the same command again/);
  return because;
}

/** What kind of failure the report calls it (R4.7). */
export function kindOf({ report }: Ended): string | undefined {
  return report.failures[0]?.name;
}

/** The state of each role in the report. */
export function statesOf({ report }: Ended): Readonly<Record<string, string>> {
  return Object.fromEntries(report.nodes.map(({ name, state }) => [name, state]));
}

interface Traces {
  readonly namespace: string;
  /** Of objects elsewhere. */
  readonly names: RegExp;
}

const traces: Readonly<Record<string, Traces>> = {
  argocd: { namespace: 'argocd', names: /^argocd/ },
  'argo-workflows': { namespace: 'argo', names: /argo-workflows|^workflow|^tiphys/ },
  'argo-events': { namespace: 'argo-events', names: /^argo-events/ },
  'sealed-secrets': { namespace: 'sealed-secrets', names: /sealed-secrets|^secrets-unsealer/ },
  'gitops-handoff': { namespace: '', names: /^tiphys|^hello/ },
};

/** What decision 0019 leaves after a rollback, what comes with every namespace, and what Argo CD makes for itself and takes up again. */
const mayStay = new RegExp(
  `^(${[
    'Namespace /',
    'CustomResourceDefinition /',
    'ConfigMap argocd/tiphys-bootstrap$',
    'ServiceAccount \\S+/default$',
    'ConfigMap \\S+/kube-root-ca\\.crt$',
    'Secret argocd/argocd-(redis|initial-admin-secret)$',
    'AppProject argocd/default$',
  ].join('|')})`,
);

/** What of a role is in the cluster that was not there before; garbage collectors get a moment. */
export async function leftOf(role: string, { client }: BrokenBed, before: ReadonlySet<string>): Promise<string[]> {
  let left: string[] = [];
  const isClean = async (): Promise<boolean> => {
    const now = [...(await clusterSnapshot(client))];
    left = now.filter((one) => !before.has(one) && !mayStay.test(one) && isOf(role, one)).sort();
    return left.length === 0;
  };
  await eventually(`nothing of ${role} is left`, isClean).catch(() => undefined);
  return left;
}

function isOf(role: string, object: string): boolean {
  const [, namespace = '', name = ''] = /^\S+ ([^/]*)\/(.*)$/.exec(object) ?? [];
  const trace = traces[role];
  return trace !== undefined && (trace.names.test(name) || (namespace !== '' && namespace === trace.namespace));
}

/** The charts without this one, and with one that somebody has changed. */
export function otherCharts({ state, scratch }: BrokenBed, missing: string, changed: string): string {
  const folder = join(scratch, 'other-charts');
  cpSync(state.charts ?? '', folder, { recursive: true });
  rmSync(join(folder, missing), { recursive: true });
  appendFileSync(join(folder, changed, 'values.yaml'), '\n# changed\n');
  return folder;
}

/** The private folders of runs that have not tidied up. */
export function privateFolders({ scratch }: BrokenBed): string[] {
  return readdirSync(scratch).filter((name) => name.startsWith('tiphys-'));
}

/** Takes a chart away from a run that has found it, before its role comes to it. */
export async function takeChartAway(bed: BrokenBed, chart: string): Promise<void> {
  const events = join(bed.state.folder, 'events.jsonl');
  await eventually('the run has begun', async () => textOf(events).includes('"run-started"'));
  for (const folder of privateFolders(bed)) rmSync(join(bed.scratch, folder, 'charts', chart), { recursive: true });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Who may do everything but make definitions, as a kubeconfig: in RBAC that means all groups of the API but theirs. */
export async function withoutDefinitions({ client, state, scratch }: BrokenBed): Promise<string> {
  const name = 'almost-admin';
  const served = await client.get<{ groups: { name: string }[] }>('/apis');
  const groups = (served?.groups ?? []).map((group) => group.name).filter((group) => group !== 'apiextensions.k8s.io');
  const rights = '/apis/rbac.authorization.k8s.io/v1';
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name } };
  await client.create('/api/v1/namespaces/default/serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name },
  });
  await client.create(`${rights}/clusterroles`, {
    ...rbac,
    kind: 'ClusterRole',
    rules: [
      { apiGroups: ['', ...groups], resources: ['*'], verbs: ['*'] },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['*'],
        verbs: ['get', 'list', 'watch', 'update', 'patch', 'delete'],
      },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ],
  });
  await client.create(`${rights}/clusterrolebindings`, {
    ...rbac,
    kind: 'ClusterRoleBinding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
  });
  const { status } = await client.create<{ status: { token: string } }>(
    `/api/v1/namespaces/default/serviceaccounts/${name}/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7200 } },
  );
  const file = join(scratch, `${name}.kubeconfig`);
  writeKubeconfig(file, state, { token: status.token }, { namespace: 'default' });
  return file;
}

/** A kubeconfig for a port of this machine, in the place of the API server's. */
export function kubeconfigTo({ state, scratch }: BrokenBed, port: number): string {
  const file = join(scratch, `port-${port}.kubeconfig`);
  writeKubeconfig(file, state, { token: 'nobody' }, { port, namespace: 'default' });
  return file;
}
