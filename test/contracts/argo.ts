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
  readonly operation?: { readonly info?: readonly { readonly name: string; readonly value: string }[] };
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
  readonly health?: { readonly status?: string };
  readonly requiresPruning?: boolean;
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
  await cluster.client.mergePatch(pathOf(name), {
    operation: { initiatedBy: { username: 'contract' }, sync: {}, ...operation },
    status: { operationState: null },
  });
}

/** Waits until the operation has ended in whatever way; touches the Application when the controller has overlooked it. */
export async function ended(cluster: ContractCluster, name: string): Promise<SeenOperation> {
  const nudge = nudging(cluster, name);
  return cluster.eventually(`the operation of ${name} has ended`, async () => {
    const seen = await read(cluster, name);
    const state = seen?.status?.operationState;
    if (seen?.operation !== undefined && state === undefined) await nudge();
    const isOver = seen !== undefined && seen.operation === undefined;
    return isOver && completed.has(state?.phase ?? '') ? state : undefined;
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
  const nudge = nudging(cluster, name);
  return cluster.eventually(`${name} has been compared again`, async () => {
    const seen = await read(cluster, name);
    if (seen?.metadata.annotations?.[refreshAnnotation] === undefined) return seen;
    await nudge();
    return undefined;
  });
}

export const refreshAnnotation = 'argocd.argoproj.io/refresh';

/** Changes an annotation that means nothing, every two seconds at most. */
function nudging({ client, clock }: ContractCluster, name: string): () => Promise<void> {
  let next = clock.now() + 2_000;
  return async () => {
    if (clock.now() < next) return;
    next = clock.now() + 2_000;
    await client.mergePatch(pathOf(name), { metadata: { annotations: { 'tiphys.dev/nonce': String(next) } } });
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
