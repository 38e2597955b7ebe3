import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RealBed } from '../testbed.ts';

/** What was seen of a Workflow's pod while it lived: it is removed soon after it has succeeded. */
export interface SeenPod {
  readonly name: string;
  /** As in the Workflow: `hello-x1.web(0)`. */
  readonly step: string;
  readonly node: string | undefined;
  readonly account: string;
  readonly phase: string;
  /** Seconds from when it was first seen until its own container ran, until that had ended, and until the pod was done. */
  readonly after: { readonly running?: number; readonly ended?: number; readonly done?: number };
  readonly exitCode: number | undefined;
  /** What its own container said. */
  readonly log: string;
}

export interface FollowedPods {
  /** So far. */
  readonly seen: ReadonlyMap<string, SeenPod>;
  stop(): Promise<SeenPod[]>;
}

/** Looks at the Workflows' pods until it is stopped; those that are there already are not told of. */
export async function followPods(bed: RealBed, podLogs: string): Promise<FollowedPods> {
  const list = async (): Promise<Pod[]> => (await bed.client.list<Pod>(pods, { labelSelector: workflowLabel })).items;
  const strangers = new Set((await list()).map(({ metadata }) => metadata.uid));
  const ending = new AbortController();
  const began = new Map<string, number>();
  const seen = new Map<string, SeenPod>();
  const follow = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      for (const pod of (await list()).filter(({ metadata }) => !strangers.has(metadata.uid))) {
        // Not by name: a pod that is lost has a successor of the same name.
        const { uid } = pod.metadata;
        if (!began.has(uid)) began.set(uid, Date.now());
        const now = (Date.now() - (began.get(uid) ?? 0)) / 1000;
        seen.set(uid, lookedAt(pod, seen.get(uid), { now, podLogs }));
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const following = follow();
  // Told to whoever stops it, not before.
  following.catch(() => undefined);
  return {
    seen,
    async stop() {
      ending.abort();
      await following;
      return [...seen.values()];
    },
  };
}

const pods = '/api/v1/namespaces/argo/pods';
const workflowLabel = 'workflows.argoproj.io/workflow';

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName?: string; readonly serviceAccountName: string };
  readonly status?: {
    readonly phase: string;
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly state: { readonly running?: object; readonly terminated?: { readonly exitCode: number } };
    }[];
  };
}

function lookedAt(
  { metadata, spec, status }: Pod,
  before: SeenPod | undefined,
  { now, podLogs }: { readonly now: number; readonly podLogs: string },
): SeenPod {
  const main = status?.containerStatuses?.find(({ name }) => name === 'main')?.state;
  const phase = status?.phase ?? 'Pending';
  const isDone = phase === 'Succeeded' || phase === 'Failed';
  const { running, ended, done } = before?.after ?? {};
  const after = {
    ...moment('running', running, now, main?.running !== undefined || main?.terminated !== undefined),
    ...moment('ended', ended, now, main?.terminated !== undefined),
    ...moment('done', done, now, isDone),
  };
  return {
    name: metadata.name,
    step: metadata.annotations['workflows.argoproj.io/node-name'] ?? '',
    node: spec.nodeName,
    account: spec.serviceAccountName,
    phase,
    after,
    exitCode: main?.terminated?.exitCode,
    log: main === undefined ? '' : logOf(podLogs, metadata) || (before?.log ?? ''),
  };
}

function moment(name: string, known: number | undefined, now: number, isNow: boolean): Record<string, number> {
  if (known !== undefined) return { [name]: known };
  return isNow ? { [name]: now } : {};
}

/** As the kubelet keeps it, each line with its time and stream; gone with the pod. */
function logOf(podLogs: string, { name, uid }: Pod['metadata']): string {
  try {
    const folder = join(podLogs, `argo_${name}_${uid}`, 'main');
    return readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
