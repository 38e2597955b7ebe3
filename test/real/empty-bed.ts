import { execFile } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { isRunning } from '../../testbed/cluster/processes.ts';
import { readState, type TestbedState, testbedHome } from '../../testbed/cluster/state.ts';
import { readRecord } from '../../testbed/kubelet/record.ts';
import { writeRepository } from '../../testbed/world/write-repository.ts';
import { findHelm } from '../charts/helm.ts';
import { eventually } from './waiting.ts';

const execute = promisify(execFile);
export const helmFolder = findHelm();
export const argo = '/apis/argoproj.io/v1alpha1/namespaces';

export interface Named {
  readonly metadata: { readonly name: string };
}

/** What a command says. */
export async function testbed(
  command: 'up' | 'down' | 'reset' | 'publish' | 'env',
  one: string,
  ...more: readonly string[]
): Promise<string> {
  const said = await execute(process.execPath, ['testbed/run.mjs', command, '--name', one, ...more]);
  return `${said.stdout}${said.stderr}`;
}

/** Runs helm on this testbed with one of its charts; the namespace is the one everybody uses. */
export async function helm(
  { folder, charts = '' }: TestbedState,
  what: 'install' | 'upgrade' | 'uninstall',
  chart: keyof typeof namespaces,
  ...more: readonly string[]
): Promise<void> {
  const namespace = namespaces[chart];
  const where = ['--kubeconfig', join(folder, 'kubeconfig'), '--namespace', namespace, '--wait', '--timeout', '5m'];
  const release = chart === 'argo-cd' ? 'argocd' : chart;
  const source = what === 'uninstall' ? [] : [join(charts, chart)];
  const create = what === 'install' ? ['--create-namespace'] : [];
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', HELM_NO_PLUGINS: '1' };
  const words = [what, release, ...source, ...where, ...create, ...more];
  await execute(join(helmFolder ?? '', 'helm'), words, { env });
}

const namespaces = { 'argo-cd': 'argocd', 'argo-workflows': 'argo', 'argo-events': 'argo-events' } as const;

export function known(one: string): TestbedState {
  const state = readState(testbedHome(process.env), one);
  if (state === undefined) throw new Error(`there is no testbed ${one}`);
  return state;
}

export function pids({ folder }: TestbedState): Record<string, number | undefined> {
  return Object.fromEntries(Object.entries(readRecord(folder)).map(([part, { process: one }]) => [part, one?.pid]));
}

/** What is recorded and does not run. */
export function notRunning({ folder }: TestbedState): string[] {
  const all = Object.entries(readRecord(folder));
  return all.filter(([, { process: one }]) => one === undefined || !isRunning(one)).map(([part]) => part);
}

/** Every process, recorded or not, that works in this folder. */
export function processesIn(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

/** Of every pod of this part of Argo CD whether it is Ready. */
export async function readyOf(client: KubeClient, component: string): Promise<boolean[]> {
  const labelSelector = `app.kubernetes.io/part-of=argocd,app.kubernetes.io/component=${component}`;
  const { items } = await client.list<{ status?: { conditions?: { type: string; status: string }[] } }>(
    '/api/v1/namespaces/argocd/pods',
    { labelSelector },
  );
  return items.map(
    ({ status }) => status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true,
  );
}

export async function syncedApplication(state: TestbedState, client: KubeClient, one: string): Promise<void> {
  const repository = join(state.folder, 'repo');
  const file = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${one}-map }\n`;
  await writeRepository(repository, { files: new Map([[`${one}/one.yaml`, file]]), branches: ['main'] });
  await client.create(`${argo}/argocd/applications`, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: one, namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: `file://${repository}`, path: one, targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      syncPolicy: { automated: {} },
    },
  });
  await eventually(`${one} is Synced and Healthy`, async () => {
    const found = await client.get<ApplicationStatus>(`${argo}/argocd/applications/${one}`);
    return found?.status?.sync?.status === 'Synced' && found.status.health?.status === 'Healthy';
  });
  expect(await client.get(`/api/v1/namespaces/default/configmaps/${one}-map`)).toBeDefined();
}

interface ApplicationStatus {
  readonly status?: { readonly sync?: { readonly status?: string }; readonly health?: { readonly status?: string } };
}

/** Without a pod: it waits for a second and is done. */
export async function succeededWorkflow(client: KubeClient): Promise<void> {
  const { metadata } = await client.create<Named>(`${argo}/argo/workflows`, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { generateName: 'trivial-', namespace: 'argo' },
    spec: { entrypoint: 'rest', templates: [{ name: 'rest', suspend: { duration: '1s' } }] },
  });
  await eventually('the Workflow has succeeded', async () => {
    const found = await client.get<{ status?: { phase?: string } }>(`${argo}/argo/workflows/${metadata.name}`);
    return found?.status?.phase === 'Succeeded';
  });
}
