import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { createReflector } from '../../src/adapters/kubernetes/reflector.ts';
import { type AuditEntry, readAudit } from '../../testbed/audit/read-audit.ts';
import { readState, type TestbedState, testbedHome } from '../../testbed/cluster/state.ts';
import { openTestbed } from '../../testbed/world/open-testbed.ts';
import { tellingWhy, waitUntil } from './wait-until.ts';

/** The testbed of the benchmark: one, made empty again and again. */
export interface Bed {
  readonly state: TestbedState;
  readonly client: KubeClient;
  /** Takes all Applications away, and leaves what they have brought: the next ones have other names. */
  clear(): Promise<void>;
  /** Until each of them was compared with Git once. */
  compared(applications: readonly string[]): Promise<void>;
  /** Until all of them are Synced and Healthy, as a watch shows it. */
  allGood(applications: readonly string[]): Promise<void>;
  /** Everything the API server has answered since then, up to now. */
  audit(since: number): Promise<AuditEntry[]>;
  /** Processor time that the cluster's own programs have used so far, in milliseconds. */
  cpuMs(): ClusterCpu;
  close(): void;
}

export interface ClusterCpu {
  readonly api: number;
  readonly controller: number;
  /** Of Argo Workflows. */
  readonly workflows: number;
}

interface Application {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly status?: {
    readonly sync?: { readonly status?: string };
    readonly health?: { readonly status?: string };
    readonly operationState?: { readonly phase?: string };
  };
}

const name = 'bench';
/**
 * How often Argo CD looks at everything by itself; two minutes unless told. Without it RollingSync and waves stand still for
 * minutes whenever an app has brought definitions: Argo CD then reads the cluster anew and overlooks what happens meanwhile.
 */
export const resyncSeconds = 10;
const argocd = '/apis/argoproj.io/v1alpha1/namespaces/argocd';

/** What Argo CD does unless told, for what nobody is compared with: at ten seconds it has more to do with 500 apps than it can. */
export const usualResyncSeconds = 120;

/** An empty cluster, with the health check for Applications that sync waves need, for everybody alike. */
export async function emptyBed(requeue = '100ms', lookEverySeconds: number = resyncSeconds): Promise<Bed> {
  await testbedCommand('reset', '--reconciliation', `${lookEverySeconds}s`, '--requeue', requeue);
  const state = readState(testbedHome(process.env), name);
  if (state === undefined) throw new Error(`there is no testbed ${name}`);
  const { client, close } = await openTestbed(state);
  const bed = bedOf(state, client, close);
  const check = { 'resource.customizations.health.argoproj.io_Application': applicationHealth };
  await client.mergePatch('/api/v1/namespaces/argocd/configmaps/argocd-cm', { data: check });
  return bed;
}

/** Ends the testbed and forgets it. */
export async function forgetBed(): Promise<void> {
  await testbedCommand('down', '--delete');
}

/** What the manual of Argo CD recommends for apps of apps: a child's health is its own, and nothing else counts. */
const applicationHealth = `
local health = obj.status and obj.status.health or {}
return { status = health.status or "Progressing", message = health.message or "" }
`;

async function testbedCommand(...words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, ['testbed/run.mjs', ...words, '--name', name], {
    // Programs that are not there yet are built for a quarter of an hour, which must not look like a measurement.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`testbed ${words.join(' ')} ended with ${code}`);
}

function bedOf(state: TestbedState, client: KubeClient, close: () => void): Bed {
  return {
    state,
    client,
    clear: () => clear(client),
    compared: (applications) =>
      watched(client, 'every Application has been compared with Git', applications, ({ status }) =>
        ['OutOfSync', 'Synced'].includes(status?.sync?.status ?? ''),
      ),
    allGood: (applications) =>
      watched(
        client,
        'every Application is Synced and Healthy',
        applications,
        // A retried operation may still be at work on what is good already, and the judge looks for its end.
        ({ status }) =>
          status?.sync?.status === 'Synced' &&
          status.health?.status === 'Healthy' &&
          status.operationState?.phase === 'Succeeded',
      ),
    audit: (since) => auditUntilNow(state, client, since),
    cpuMs: () => ({
      api: cpuMsOf(state, 'kube-apiserver'),
      controller: cpuMsOf(state, 'argocd-application-controller'),
      workflows: cpuMsOf(state, 'workflow-controller'),
    }),
    close,
  };
}

async function clear(client: KubeClient): Promise<void> {
  await waitUntil('all Applications are gone', async () => {
    for (const kind of ['applicationsets', 'applications']) {
      const { items } = await client.list<Application>(`${argocd}/${kind}`);
      // What carries a finalizer would take its objects along, which takes time.
      await Promise.all(
        items.map(async ({ metadata }) => {
          await client.mergePatch(`${argocd}/${kind}/${metadata.name}`, { metadata: { finalizers: null } }).catch(gone);
          await client.delete(`${argocd}/${kind}/${metadata.name}`);
        }),
      );
      if (items.length > 0) return false;
    }
    return true;
  });
  await client.mergePatch(`${argocd}/appprojects/default`, { spec: { syncWindows: null } });
}

function gone(): undefined {
  return undefined;
}

async function watched(
  client: KubeClient,
  sentence: string,
  applications: readonly string[],
  isSo: (application: Application) => boolean,
): Promise<void> {
  const ending = new AbortController();
  const path = `${argocd}/applications`;
  const watch = createReflector<Application>(client, { path, clock: systemClock }, ending.signal);
  const lacking = (): string[] =>
    applications.filter((one) => {
      const application = watch.get(`argocd/${one}`);
      return application === undefined || !isSo(application);
    });
  const all = (): true | undefined => lacking().length === 0 || undefined;
  try {
    const waiting = watch.waitFor(all, { deadline: systemClock.now() + 600_000, waitingFor: sentence });
    await tellingWhy(waiting, () => `${sentence}, but for ${lacking().join(', ')}`);
  } finally {
    ending.abort();
  }
}

/** The log is written a moment after the answer: when a request made now stands in it, so does everything before. */
async function auditUntilNow(state: TestbedState, client: KubeClient, since: number): Promise<AuditEntry[]> {
  const mark = `mark-${systemClock.now()}`;
  await client.delete(`/api/v1/namespaces/argo/configmaps/${mark}`);
  const file = join(state.folder, 'audit.log');
  await waitUntil('the audit log holds what has just been asked', async () => readFileSync(file).includes(mark));
  return readAudit(file, since).filter((entry) => entry.name !== mark);
}

/** The kernel counts hundredths of a second. */
const tickMs = 10;

function cpuMsOf({ processes }: TestbedState, component: string): number {
  const stat = readFileSync(`/proc/${processes[component]?.pid}/stat`, 'utf8');
  // The name in parentheses may hold anything, so fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
