import { createHash } from 'node:crypto';
import type { Condition, ContainerStatus, Pod, PodStatus } from './pod.ts';

/** How it goes with what a pod runs. */
export type Life =
  | { readonly state: 'waiting'; readonly reason: string; readonly message: string; readonly restarts: number }
  | { readonly state: 'running'; readonly isReady: boolean; readonly restarts: number }
  | { readonly state: 'ended'; readonly exitCode: number; readonly restarts: number };

/** The status that says so; undefined when the pod says it already. */
export function podStatus(pod: Pod, life: Life, now: string): object | undefined {
  const phase = phaseOf(pod, life);
  if (summaryOf(pod.status) === summary(phase, life)) return undefined;
  const startTime = pod.status?.startTime ?? now;
  const podIP = pod.status?.podIP ?? addressOf(pod);
  return {
    phase,
    startTime,
    hostIP: '10.0.0.1',
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: conditionsOf(pod.status?.conditions ?? [], life, now),
    containerStatuses: pod.spec.containers.map(({ name, image }) => ({
      name,
      image,
      imageID: '',
      ready: isReady(life),
      started: life.state === 'running',
      restartCount: life.restarts,
      state: stateOf(life, now),
    })),
    ...(life.state === 'waiting' ? {} : { initContainerStatuses: (pod.spec.initContainers ?? []).map(done(now)) }),
  };
}

/** A pod that ran once does not go back to waiting for its first start. */
function phaseOf({ status }: Pod, life: Life): string {
  if (life.state === 'ended') return life.exitCode === 0 ? 'Succeeded' : 'Failed';
  return life.state === 'running' || life.restarts > 0 || status?.phase === 'Running' ? 'Running' : 'Pending';
}

function isReady(life: Life): boolean {
  return life.state === 'running' && life.isReady;
}

/** What of a status tells one life from another; times do not. */
function summary(phase: string, life: Life): string {
  const word = life.state === 'ended' ? 'terminated' : life.state;
  const why = life.state === 'waiting' ? [life.reason, life.message] : [];
  return JSON.stringify([phase, isReady(life), life.restarts, word, ...why]);
}

function summaryOf({ phase, conditions, containerStatuses }: PodStatus = {}): string {
  const ready = conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  const container: ContainerStatus = containerStatuses?.[0] ?? {};
  const { state = {}, restartCount } = container;
  const why = state.waiting === undefined ? [] : [state.waiting.reason, state.waiting.message];
  return JSON.stringify([phase, ready, restartCount, Object.keys(state)[0], ...why]);
}

function stateOf(life: Life, now: string): object {
  if (life.state === 'running') return { running: { startedAt: now } };
  if (life.state === 'waiting') return { waiting: { reason: life.reason, message: life.message } };
  const reason = life.exitCode === 0 ? 'Completed' : 'Error';
  return { terminated: { exitCode: life.exitCode, reason, startedAt: now, finishedAt: now } };
}

/** Those of others, such as the scheduler's, stay; a time changes only with what it tells. */
function conditionsOf(before: readonly Condition[], life: Life, now: string): Condition[] {
  const status = isReady(life) ? 'True' : 'False';
  const reason = life.state === 'ended' ? 'PodCompleted' : 'ContainersNotReady';
  const why = isReady(life) ? {} : { reason };
  const own: readonly Condition[] = [
    { type: 'Initialized', status: 'True' },
    { type: 'ContainersReady', status, ...why },
    { type: 'Ready', status, ...why },
  ];
  const others = before.filter(({ type }) => !own.some((condition) => condition.type === type));
  return [...others, ...own.map((condition) => since(condition, before, now))];
}

function since(condition: Condition, before: readonly Condition[], now: string): Condition {
  const same = before.find(({ type, status }) => type === condition.type && status === condition.status);
  return { ...condition, lastTransitionTime: same?.lastTransitionTime ?? now };
}

function done(now: string) {
  const state = { terminated: { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now } };
  return ({ name, image }: { readonly name: string; readonly image: string }) => {
    return { name, image, imageID: '', ready: true, restartCount: 0, state };
  };
}

/** An address that nobody else has: kwok's pods have theirs from 10.0.0.0/16. */
function addressOf({ metadata: { uid } }: Pod): string {
  const [a = 0, b = 0] = createHash('sha256').update(uid).digest();
  return `10.1.${a}.${1 + (b % 254)}`;
}
