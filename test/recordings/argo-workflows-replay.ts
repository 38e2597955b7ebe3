import { readFileSync } from 'node:fs';
import { workflowController } from '../../src/sandbox/controllers/argo-workflows/operation.ts';
import { createSandbox, type RecordedChange, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { type VirtualTime, virtualEpoch, virtualTime } from '../../src/sandbox/time.ts';

export interface WorkflowRecording {
  readonly case: string;
  readonly what: string;
  readonly steps: readonly WorkflowStep[];
}

export interface WorkflowStep {
  readonly afterMs: number;
  readonly actor: 'client' | 'controller' | 'agent';
  readonly event?: string;
  readonly request?: { readonly method: string; readonly path: string; readonly status: number; readonly body?: unknown };
  readonly object?: RecordedObject;
}

export interface RecordedObject {
  readonly kind: string;
  readonly metadata?: { readonly resourceVersion?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** How a case differs from the usual. */
export interface CaseSetting {
  /** The part of a second at which it began: whole seconds count for timeouts. */
  readonly startMs?: number;
  /** How far a pause between two writes may be from the recorded one. */
  readonly toleranceMs?: number;
  /** Requests that met a look that had begun before them but wrote after them: by their place among the requests, how much later they come here. */
  readonly later?: Readonly<Record<number, number>>;
}

/** One write of the controller, or an end that Kubernetes brought about. */
export interface Write {
  readonly ms: number;
  readonly event: string;
  readonly object: unknown;
}

export interface Played {
  readonly writes: readonly Write[];
  readonly events: readonly string[];
  /** Of each request: the status, and the object as it was answered. */
  readonly answers: readonly { readonly status: number; readonly object: unknown }[];
}

export const requeueMs = 1000;

export function readWorkflowRecordings(): WorkflowRecording[] {
  const text = readFileSync(new URL('argo-workflows.jsonl', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as WorkflowRecording);
}

/** Plays what client and agent did, each after the same writes of the controller as recorded, and gives what the controller did. */
export async function playWorkflows(recording: WorkflowRecording, setting: CaseSetting): Promise<Played> {
  const time = virtualTime(virtualEpoch + (setting.startMs ?? 0));
  const start = time.now();
  const sandbox = createSandbox({ record: 'all', time, workflows: { requeueMs } });
  const answers: Played['answers'][number][] = [];
  const steps = inOrderOfWrites(recording.steps);
  let [writes, lastMs, requests] = [0, 0, 0];
  for (const step of steps) {
    if (isWrite(step)) {
      writes++;
      lastMs = step.afterMs;
    }
    if (step.request === undefined) continue;
    const [expected, pause] = [writes, step.afterMs - lastMs + (setting.later?.[requests++] ?? 0)];
    await time.run(until(time, () => writesOf(sandbox).length >= expected));
    const since = writesOf(sandbox).at(-1)?.at ?? start;
    await time.run(time.sleep(Math.max(0, since + pause - time.now())));
    answers.push(await send(sandbox, time, step.request));
  }
  await time.run(until(time, () => writesOf(sandbox).length >= writes));
  await time.run(time.sleep(5 * requeueMs));
  sandbox.stop();
  return {
    writes: writesOf(sandbox).map(({ type, object, at }) => ({ ms: at - start, event: type, object: seen(object) })),
    events: sandbox.changes.filter(({ object }) => object.kind === 'Event').map(({ object }) => eventLine(object)),
    answers,
  };
}

/** What the recording says the controller wrote, in the order of resourceVersions: two watches do not keep it. */
export function recordedWrites(recording: WorkflowRecording): Write[] {
  return inOrderOfWrites(recording.steps)
    .filter(isWrite)
    .map(({ afterMs, event = '', object }) => ({ ms: afterMs, event, object: seen(object) }));
}

export function recordedEvents(recording: WorkflowRecording): string[] {
  return recording.steps.flatMap(({ object }) => (object?.kind === 'Event' ? [eventLine(object)] : []));
}

/** An object as a recording shows it: without what differs every time. */
export function seen(object: unknown): unknown {
  const uids = new Map<string, string>();
  const text = JSON.stringify(object, (key, value: unknown) => {
    if (key === 'workflows.argoproj.io/trace-id') return '<trace-id>';
    if (key === 'uid' && typeof value === 'string') {
      if (!uids.has(value)) uids.set(value, `<uid-${uids.size + 1}>`);
      return uids.get(value);
    }
    return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value) ? '<time>' : value;
  });
  return JSON.parse(text);
}

async function until(time: VirtualTime, isSo: () => boolean): Promise<void> {
  const deadline = time.now() + 30_000;
  while (!isSo() && time.now() < deadline) await time.sleep(1);
}

function writesOf({ changes }: Sandbox): readonly RecordedChange[] {
  return changes.filter(
    ({ object, by, type }) => isFollowed(object.kind) && (by === workflowController || type === 'DELETED'),
  );
}

const isFollowed = (kind: string | undefined): boolean => kind === 'Workflow' || kind === 'WorkflowTaskSet';

function isWrite({ actor, request, object }: WorkflowStep): boolean {
  return actor === 'controller' && request === undefined && isFollowed(object?.kind);
}

function inOrderOfWrites(steps: readonly WorkflowStep[]): readonly WorkflowStep[] {
  let version = 0;
  return steps
    .map((step) => {
      version = Number(step.object?.metadata?.resourceVersion ?? version);
      return { step, version };
    })
    .sort((a, b) => a.version - b.version)
    .map(({ step }) => step);
}

async function send(
  sandbox: Sandbox,
  time: VirtualTime,
  { method, path, body }: NonNullable<WorkflowStep['request']>,
): Promise<Played['answers'][number]> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await time.run(
    sandbox.handle({
      method,
      path,
      headers: { 'content-type': type },
      ...(body === undefined || body === null ? {} : { body: JSON.stringify(body).replaceAll('<time>', '2026-01-05T03:00:04Z') }),
    }),
  );
  let text = '';
  for await (const bytes of answer.body) text += Buffer.from(bytes).toString();
  return { status: answer.status, object: seen(JSON.parse(text)) };
}

interface EventObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly name: string };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}

function eventLine(object: object): string {
  const { type, reason, message, involvedObject, ...rest } = object as EventObject;
  const annotations = rest.annotations ?? rest.metadata?.annotations ?? {};
  const named = ['id', 'name', 'type'].map((key) => annotations[`workflows.argoproj.io/node-${key}`] ?? '-');
  return [type, reason, message ?? '-', involvedObject?.name, ...named].join(' | ');
}
