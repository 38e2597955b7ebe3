import { readFileSync } from 'node:fs';
import type { ArgoTiming } from '../../src/sandbox/controllers/argocd/timing.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { type VirtualTime, virtualTime } from '../../src/sandbox/time.ts';
import { cephCluster, definitionOf } from '../../src/sandbox/world/definitions.ts';
import type { WorkloadScript } from '../../src/sandbox/world/workload-script.ts';
import { recordedContent } from './argocd-content.ts';

export interface Recording {
  readonly case: string;
  readonly what: string;
  readonly steps: readonly RecordedStep[];
}

export type RecordedStep = ClientStep | WatchStep;

export interface ClientStep {
  readonly ms: number;
  readonly does: string;
  readonly body?: unknown;
}

export interface WatchStep {
  readonly ms: number;
  readonly event: string;
  readonly application: string;
  /** Operation, phase, finishedAt, retryCount, sync, health, conditions, refresh annotation. */
  readonly seen: string;
  readonly message?: string;
}

export type Player = { readonly sandbox: Sandbox; readonly time: VirtualTime; readonly request: Request };
type Request = (method: string, path: string, body?: unknown) => Promise<void>;

/** How a case differs from the usual: delays of that day, how its workloads behave, and the steps that are no plain request. */
export interface CaseSetting {
  readonly timing?: Partial<ArgoTiming>;
  readonly readyMs?: number;
  readonly states?: WorkloadScript['states'];
  readonly deleteMs?: number;
  readonly prepare?: (player: Player) => Promise<void>;
  readonly does?: Readonly<Record<string, (player: Player) => Promise<void>>>;
}

export function readRecordings(): Recording[] {
  const text = readFileSync(new URL('argocd-applications.jsonl', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recording);
}

/** Plays what the client did, at the recorded times, and gives what a watch on Applications shows. */
export async function play(recording: Recording, setting: CaseSetting): Promise<WatchStep[]> {
  const time = virtualTime();
  const start = time.now();
  const sandbox = createSandbox({
    record: 'all',
    time,
    content: recordedContent,
    timing: { ...usualTiming, ...setting.timing },
    script: () => ({
      states: setting.states ?? [{ atMs: setting.readyMs ?? 70, state: 'ready' }],
      deleteMs: setting.deleteMs ?? 90,
      finalizers: [],
    }),
  });
  const player: Player = { sandbox, time, request: requester(sandbox, time) };
  await prepareCluster(player);
  await setting.prepare?.(player);
  const from = sandbox.store.revision;
  for (const step of recording.steps) {
    if (!('does' in step)) continue;
    await time.run(time.sleep(Math.max(0, start + step.ms - time.now())));
    await (setting.does?.[step.does] ?? ((who: Player) => ordinaryStep(who, recording, step)))(player);
  }
  const last = recording.steps.at(-1)?.ms ?? 0;
  await time.run(time.sleep(Math.max(0, start + last - time.now()) + 1500));
  sandbox.stop();
  return sandbox.changes
    .filter(({ object, revision }) => object.kind === 'Application' && revision > from)
    .map(({ type, object, at }) => ({ ms: at - start, event: type, application: object.metadata.name, ...seen(object) }));
}

const always = (ms: number) => (): number => ms;

const usualTiming: Partial<ArgoTiming> = {
  refreshQueue: always(4),
  comparison: always(9),
  statusPatch: always(6),
  operationPickup: always(11),
  operationStart: always(9),
  apply: always(80),
  finish: always(40),
  refreshAfterOperation: always(10),
  cacheLag: always(60),
  terminate: always(25),
  deletion: always(60),
  overlooks: () => false,
};

function requester(sandbox: Sandbox, time: VirtualTime): Request {
  return async (method, path, body) => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await time.run(
      sandbox.handle({
        method,
        path,
        headers: { 'content-type': contentType },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    let text = '';
    for await (const bytes of answer.body) text += Buffer.from(bytes).toString();
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  };
}

export const applications = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications';
export const projects = '/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects';

async function prepareCluster({ request }: Player): Promise<void> {
  await request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rec' } });
  await request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definitionOf(cephCluster));
}

async function ordinaryStep({ request }: Player, recording: Recording, { does, body }: ClientStep): Promise<void> {
  const first = recording.steps.find((step) => 'application' in step);
  const only = first !== undefined && 'application' in first ? first.application : '';
  if (does.startsWith('create Application')) {
    const object = body as { metadata: object };
    const metadata = { ...object.metadata, namespace: 'argocd' };
    await request('POST', applications, { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', ...object, metadata });
    return;
  }
  if (!does.startsWith('merge-patch')) throw new Error(`the replay does not know how to do: ${does}`);
  const named = does.split(' ').at(-1) ?? '';
  await request('PATCH', `${applications}/${named.startsWith('rec-') ? named : only}`, body);
}

interface Status {
  readonly operationState?: { phase: string; finishedAt?: string; retryCount?: number; message?: string };
  readonly sync?: { status?: string };
  readonly health?: { status?: string };
  readonly conditions?: readonly { type: string }[];
}

function seen(object: KubeObject): Pick<WatchStep, 'seen' | 'message'> {
  const status = (object['status'] ?? {}) as Status;
  const { operationState: state } = status;
  const parts = [
    object['operation'] === undefined ? '-' : 'operation',
    state?.phase ?? '-',
    state?.finishedAt === undefined ? '-' : 'finished',
    state?.retryCount ?? 0,
    status.sync?.status || '-',
    status.health?.status ?? '-',
    (status.conditions ?? []).map(({ type }) => type).join() || '-',
    object.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined ? '-' : 'refresh',
  ];
  return { seen: parts.join(' '), ...(state?.message === undefined ? {} : { message: state.message }) };
}

/** One line per distinct state of one Application; equal neighbours are one. */
export function sequence(steps: readonly RecordedStep[], application: string): string[] {
  const lines: string[] = [];
  for (const step of steps) {
    if (!('event' in step) || step.application !== application) continue;
    const line = step.event === 'DELETED' ? 'deleted' : step.seen;
    if (lines.at(-1) !== line) lines.push(line);
  }
  return lines;
}

/** The last message of the operation; a temporary file's name in it is nobody's business. */
export function lastMessage(steps: readonly RecordedStep[], application: string): string | undefined {
  const last = steps.findLast((step) => 'event' in step && step.application === application);
  const message = last !== undefined && 'message' in last ? last.message : undefined;
  return message?.replace(/\/dev\/shm\/\d+/, '/dev/shm/0');
}
