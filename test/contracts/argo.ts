import { ApiError } from '../../src/adapters/kubernetes/errors.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import type { ContractCluster } from './cluster.ts';

/** An Application as a client sees it, as far as the contract speaks of it. */
export interface SeenApplication {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly project: string };
  readonly operation?: {
    readonly info?: readonly { readonly name: string; readonly value: string }[];
    readonly initiatedBy?: { readonly automated?: boolean };
  };
  readonly status?: {
    readonly sync?: { readonly status?: string; readonly revision?: string; readonly revisions?: readonly string[] };
    readonly health?: { readonly status?: string };
    readonly conditions?: readonly { readonly type: string; readonly message: string }[];
    readonly operationState?: SeenOperation;
    readonly reconciledAt?: string;
    readonly resources?: readonly SeenResource[];
    readonly resourceHealthSource?: string;
    readonly history?: readonly { readonly revision?: string }[];
  };
}

export interface SeenOperation {
  readonly phase: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly retryCount?: number;
  readonly operation: { readonly info?: unknown; readonly initiatedBy?: { readonly automated?: boolean } };
  readonly syncResult?: {
    readonly revision?: string;
    readonly revisions?: readonly string[];
    readonly resources?: readonly { readonly kind: string; readonly name: string; readonly message?: string }[];
  };
}

interface SeenResource {
  readonly kind: string;
  readonly name: string;
  readonly status?: string;
  readonly syncWave?: number;
  readonly health?: { readonly status?: string };
  readonly requiresPruning?: boolean;
  readonly requiresDeletionConfirmation?: boolean;
}

/** What an Application in a case says beyond its name. */
export interface Wish {
  readonly path?: string;
  /** Auto-sync with pruning and self-healing. */
  readonly automated?: boolean;
  readonly syncOptions?: readonly string[];
  readonly retry?: { readonly limit: number };
  readonly finalizers?: readonly string[];
  /** Where the Application itself lives. */
  readonly in?: string;
  /** Instead of the case's own. */
  readonly project?: string;
  readonly namespace?: string;
  /** Instead of the path at HEAD. */
  readonly source?: Readonly<Record<string, unknown>>;
  readonly sources?: readonly Readonly<Record<string, unknown>>[];
}

export const cascade = 'resources-finalizer.argocd.argoproj.io';

/** The manifest of an Application; its name is used as it stands. */
export function application(cluster: ContractCluster, name: string, wish: Wish): KubeObject {
  const automated = wish.automated ? { automated: { prune: true, selfHeal: true } } : {};
  const syncOptions = wish.syncOptions === undefined ? {} : { syncOptions: wish.syncOptions };
  const retry = wish.retry === undefined ? {} : { retry: wish.retry };
  const policy = { ...automated, ...syncOptions, ...retry };
  const source = wish.source ?? { repoURL: cluster.git.url, path: wish.path, targetRevision: 'HEAD' };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace: wish.in ?? 'argocd',
      ...(wish.finalizers === undefined ? {} : { finalizers: [...wish.finalizers] }),
    },
    spec: {
      project: wish.project ?? cluster.project,
      ...(wish.sources === undefined ? { source } : { sources: wish.sources }),
      destination: { server: 'https://kubernetes.default.svc', namespace: wish.namespace ?? cluster.namespace },
      // Argo CD takes an empty policy away, and a parent that has one in Git stays OutOfSync for ever.
      ...(Object.keys(policy).length === 0 ? {} : { syncPolicy: policy }),
    },
  };
}

const applications = (namespace: string): string => `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications`;

/** The path of an Application: `name`, or `namespace/name` when it does not live beside Argo CD. */
export function pathOf(name: string): string {
  const [namespace, own] = name.includes('/') ? name.split('/') : ['argocd', name];
  return `${applications(namespace ?? '')}/${own}`;
}

export const projectPath = (name: string): string => `/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects/${name}`;

/** Creates an Application under a name of the case's own and gives that name. */
export async function createApplication(cluster: ContractCluster, name: string, wish: Wish): Promise<string> {
  const own = cluster.named(name);
  await cluster.client.create(applications(wish.in ?? 'argocd'), application(cluster, own, wish));
  return wish.in === undefined ? own : `${wish.in}/${own}`;
}

export function read(cluster: ContractCluster, name: string): Promise<SeenApplication | undefined> {
  return cluster.client.get<SeenApplication>(pathOf(name));
}

/** `Synced Healthy`; `- -` before the first verdict. */
export function verdict(seen: SeenApplication | undefined): string {
  return `${seen?.status?.sync?.status || '-'} ${seen?.status?.health?.status ?? '-'}`;
}

/** Waits for a verdict; whatever made it come, no question is asked. */
export async function untilVerdict(cluster: ContractCluster, name: string, wanted: string): Promise<SeenApplication> {
  let last = '';
  const found = async (): Promise<SeenApplication | undefined> => {
    const seen = await read(cluster, name);
    last = verdict(seen);
    return last === wanted ? seen : undefined;
  };
  return cluster.eventually(`${name} is ${wanted}`, found).catch((error: Error) => {
    throw new Error(`${error.message}; it is ${last}`, { cause: error });
  });
}

/** The same, asked for again and again: some changes are not noticed by Argo CD itself. */
export function untilRefreshed(cluster: ContractCluster, name: string, wanted: string): Promise<SeenApplication> {
  return cluster.eventually(`${name} is found ${wanted} when it is compared again`, async () => {
    const seen = await refresh(cluster, name);
    return verdict(seen) === wanted ? seen : undefined;
  });
}

/** What a client merges into an Application to start an operation. */
export async function request(cluster: ContractCluster, name: string, operation: object = {}): Promise<void> {
  await takeBackCaught(cluster, name);
  await cluster.client.mergePatch(pathOf(name), {
    operation: { initiatedBy: { username: 'contract' }, sync: {}, ...operation },
    status: { operationState: null },
  });
}

/**
 * An Application that is as young as its hold may have been begun with before Argo CD heard of the hold. Such an operation is held for
 * ever, and ours with it, unless it is taken back, as the engine does.
 */
async function takeBackCaught(cluster: ContractCluster, name: string): Promise<void> {
  const begun = await cluster.eventually(`what Argo CD began with ${name} has ended or is held`, async () => {
    const seen = await read(cluster, name);
    if (seen?.operation?.initiatedBy?.automated !== true) return 'nothing';
    return /blocked by sync window/.test(seen.status?.operationState?.message ?? '') && 'caught';
  });
  if (begun === 'nothing') return;
  await cluster.client.mergePatch(pathOf(name), { operation: null });
  await cluster.eventually(`${name} is free`, async () => (await read(cluster, name))?.operation === undefined);
}

/** Waits until the operation has ended in whatever way. */
export function ended(cluster: ContractCluster, name: string): Promise<SeenOperation> {
  return untilOperation(cluster, name, 'has ended', ({ operation }, { phase }) => {
    return operation === undefined && completed.has(phase);
  });
}

/** Waits until the operation is being worked on and says something like this. */
export function untilRunning(cluster: ContractCluster, name: string, message: RegExp): Promise<SeenOperation> {
  return untilOperation(cluster, name, `is Running: ${message.source}`, (_, state) => {
    return state.phase === 'Running' && message.test(state.message ?? '');
  });
}

/** Touches the Application now and then: a controller can overlook an operation, at its start and on its way, until something changes. */
async function untilOperation(
  cluster: ContractCluster,
  name: string,
  sentence: string,
  isSo: (seen: SeenApplication, state: SeenOperation) => boolean,
): Promise<SeenOperation> {
  const nudge = nudging(cluster, pathOf(name));
  let last: SeenApplication | undefined;
  const found = async (): Promise<SeenOperation | undefined> => {
    last = await read(cluster, name);
    const state = last?.status?.operationState;
    if (last !== undefined && state !== undefined && isSo(last, state)) return state;
    if (last?.operation !== undefined) await nudge();
    return undefined;
  };
  return cluster.eventually(`the operation of ${name} ${sentence}`, found).catch((error: Error) => {
    const seen = { operation: last?.operation, state: last?.status?.operationState };
    throw new Error(`${error.message}; there is ${JSON.stringify(seen)}`, { cause: error });
  });
}

const completed = new Set(['Succeeded', 'Failed', 'Error']);

/** An operation from the request to its end. */
export async function sync(cluster: ContractCluster, name: string, operation: object = {}): Promise<SeenOperation> {
  await request(cluster, name, operation);
  return ended(cluster, name);
}

/** Asks for a comparison, and waits for the answer. */
export async function refresh(
  cluster: ContractCluster,
  name: string,
  how: 'normal' | 'hard' = 'normal',
): Promise<SeenApplication> {
  await cluster.client.mergePatch(pathOf(name), { metadata: { annotations: { [refreshAnnotation]: how } } });
  const nudge = nudging(cluster, pathOf(name));
  return cluster.eventually(`${name} has been compared again`, async () => {
    const seen = await read(cluster, name);
    if (seen?.metadata.annotations?.[refreshAnnotation] === undefined) return seen;
    await nudge();
    return undefined;
  });
}

export const refreshAnnotation = 'argocd.argoproj.io/refresh';

/** Changes an annotation that means nothing, every two seconds at most. */
export function nudging({ client, clock }: ContractCluster, path: string): () => Promise<void> {
  let next = clock.now() + 2_000;
  return async () => {
    if (clock.now() < next) return;
    next = clock.now() + 2_000;
    await client.mergePatch(path, { metadata: { annotations: { 'tiphys.dev/nonce': String(next) } } });
  };
}

/** The status of a refusal. */
export async function refusal(work: Promise<unknown>): Promise<{ status: number; reason: string; message: string }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, reason: error.reason, message: error.message };
    throw error;
  }
  throw new Error('nothing was refused');
}
