import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { executorBeside, startProgram } from './program.ts';
import type { RealBed } from './testbed.ts';

/**
 * Keeps the contract of a Workflow's pods where there is no kubelet: runs the command line of the main container as a process beside
 * the testbed, then says what the container `wait` would say of its outputs, and what a kubelet would say of the pod.
 */
export interface PodDouble {
  /** The command lines that were run, in order. */
  readonly ran: readonly string[];
  stop(): Promise<void>;
}

export function startPodDouble(bed: RealBed): PodDouble {
  const seen = new Set<string>();
  const ran: string[] = [];
  const running = new Set<Promise<void>>();
  const ending = new AbortController();
  const look = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const { items } = await bed.client.list<WorkflowPod>(pods, { labelSelector: workflowLabel });
      for (const pod of items.filter(({ metadata }) => !seen.has(metadata.name))) {
        seen.add(pod.metadata.name);
        ran.push(commandOf(pod).join(' '));
        const work = runPod(bed, pod);
        running.add(work);
        work.catch(() => undefined).finally(() => running.delete(work));
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  const looking = look();
  return {
    ran,
    async stop() {
      ending.abort();
      await looking;
      await Promise.all(running);
    },
  };
}

const workflowLabel = 'workflows.argoproj.io/workflow';
const pods = '/api/v1/namespaces/argo/pods';

interface WorkflowPod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly containers: readonly Container[]; readonly initContainers?: readonly Container[] };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

/** What comes after the `--` of Argo's own starter. */
function commandOf({ spec }: WorkflowPod): string[] {
  const main = spec.containers.find(({ name }) => name === 'main');
  const command = main?.command ?? [];
  return [...command.slice(command.indexOf('--') + 1), ...(main?.args ?? [])];
}

async function runPod(bed: RealBed, pod: WorkflowPod): Promise<void> {
  const folder = join(bed.state.folder, 'pods', pod.metadata.name);
  mkdirSync(folder, { recursive: true });
  const [, ...words] = commandOf(pod);
  // The pod's own /tmp.
  const own = words.map((word) => word.replace('=/tmp/', `=${folder}/`));
  const kubeconfig = join(bed.state.folder, 'kubeconfig');
  const { ended, said } = startProgram(executorBeside(bed.program), [...own, '--kubeconfig', kubeconfig]);
  const exitCode = (await ended) ?? 137;
  await reportOutputs(bed, pod, readResult(join(folder, 'result.json')));
  await reportEnd(bed, pod, { exitCode, message: said.err.trim().split('\n').at(-1) ?? '' });
}

function readResult(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** A WorkflowTaskResult is named after the node and says when it is complete. */
async function reportOutputs({ client }: RealBed, { metadata }: WorkflowPod, value: string): Promise<void> {
  const { name, uid, labels, annotations } = metadata;
  await client.create('/apis/argoproj.io/v1alpha1/namespaces/argo/workflowtaskresults', {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'WorkflowTaskResult',
    metadata: {
      name: annotations['workflows.argoproj.io/node-id'],
      namespace: 'argo',
      labels: { [workflowLabel]: labels[workflowLabel], 'workflows.argoproj.io/report-outputs-completed': 'true' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid }],
    },
    outputs: { parameters: [{ name: 'result', value }] },
  });
}

async function reportEnd(
  { client }: RealBed,
  { metadata, spec }: WorkflowPod,
  { exitCode, message }: { readonly exitCode: number; readonly message: string },
): Promise<void> {
  const terminated = (code: number): object => ({
    terminated: { exitCode: code, reason: code === 0 ? 'Completed' : 'Error', finishedAt: new Date().toISOString() },
  });
  const statusOf = ({ name, image }: Container): object => ({
    name,
    image,
    imageID: image,
    ready: false,
    restartCount: 0,
    state: terminated(name === 'main' ? exitCode : 0),
  });
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
  await client.mergePatch(`${pods}/${metadata.name}/status`, {
    status: {
      phase,
      ...(exitCode === 0 ? {} : { message }),
      containerStatuses: spec.containers.map(statusOf),
      initContainerStatuses: (spec.initContainers ?? []).map(statusOf),
    },
  });
}
