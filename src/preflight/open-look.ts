import type { KubeClient } from '../adapters/kubernetes/client.ts';
import type { PodObject } from '../core/preflight/capacity.ts';
import { type ClusterNode, clusterNode, type NodeObject } from '../core/preflight/cluster-nodes.ts';
import type { ClusterSnapshot } from '../core/preflight/cluster-snapshot.ts';
import type { SeenRelease } from '../core/preflight/judge-releases.ts';
import type { SeenNamespace, SeenWorkload } from '../core/preflight/known-leftovers.ts';
import type { Clock } from '../engine/ports.ts';
import { takeSnapshot } from './take-snapshot.ts';

/** The cluster as checks see it: each thing is read when the first one asks, and once. */
export interface ClusterLook {
  /** The context's name, for people. */
  readonly name: string;
  /** Its address; undefined when the kubeconfig names none. */
  readonly server: string | undefined;
  readonly client: KubeClient;
  version(): Promise<ServerVersion>;
  /** Who the cluster takes us for. */
  user(): Promise<ClusterUser>;
  nodes(): Promise<readonly ClusterNode[]>;
  pods(): Promise<readonly PodObject[]>;
  namespaces(): Promise<readonly SeenNamespace[]>;
  workloads(): Promise<readonly SeenWorkload[]>;
  definitions(): Promise<readonly string[]>;
  storageClasses(): Promise<readonly string[]>;
  /** Where keys of a sealed-secrets controller lie; never what they are. */
  sealingKeys(): Promise<readonly { readonly namespace: string; readonly name: string }[]>;
  /** What Helm remembers, every revision of it; never what was installed with which values. */
  releases(): Promise<readonly SeenRelease[]>;
  /** The platform that `tiphys bootstrap` has set this cluster up for. */
  bootstrappedFor(): Promise<string | undefined>;
  snapshot(): Promise<ClusterSnapshot>;
}

export interface ServerVersion {
  readonly gitVersion: string;
  readonly platform?: string;
}

export interface ClusterUser {
  readonly username: string;
  readonly groups: readonly string[];
}

export interface LookOrder {
  readonly name: string;
  readonly server: string | undefined;
  readonly client: KubeClient;
  /** The same server, asked for names and labels only: what is in a Secret is none of our business. */
  readonly metadata: KubeClient;
  readonly clock: Clock;
  readonly argocdNamespace: string;
  readonly signal: AbortSignal;
}

/** Opens the look; nothing is read yet. */
export function openLook(order: LookOrder): ClusterLook {
  const { name, server, client, metadata, clock, argocdNamespace, signal } = order;
  const listed = <T>(path: string): Promise<readonly T[]> =>
    client.list<T>(path, {}, signal).then(({ items }) => items);
  return {
    name,
    server,
    client,
    version: once(() => readVersion(client, signal)),
    user: once(() => readUser(client, signal)),
    nodes: once(async () => (await listed<NodeObject>('/api/v1/nodes')).map(clusterNode)),
    pods: once(() => listed<PodObject>('/api/v1/pods')),
    namespaces: once(async () => (await listed<Named>('/api/v1/namespaces')).map(seenNamespace)),
    workloads: once(async () => {
      const kinds = ['deployments', 'statefulsets', 'daemonsets'];
      const all = await Promise.all(kinds.map((kind) => listed<Workload>(`/apis/apps/v1/${kind}`)));
      return all.flat().map(seenWorkload);
    }),
    definitions: once(() => namesOf(metadata, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', signal)),
    storageClasses: once(() => namesOf(metadata, '/apis/storage.k8s.io/v1/storageclasses', signal)),
    sealingKeys: once(() => readKeys(metadata, signal)),
    releases: once(() => readReleases(metadata, signal)),
    bootstrappedFor: once(() => readBootstrap(client, argocdNamespace, signal)),
    snapshot: once(() => takeSnapshot(metadata, { now: clock.now() }, signal)),
  };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= read();
    return answer;
  };
}

async function readVersion(client: KubeClient, signal: AbortSignal): Promise<ServerVersion> {
  return (await client.get<ServerVersion>('/version', signal)) ?? { gitVersion: 'of an unknown version' };
}

/** Nothing is stored by a review; it is a question that must be posted. */
async function readUser(client: KubeClient, signal: AbortSignal): Promise<ClusterUser> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const answer = await client.create<Review>(path, review, signal);
  const { username = '', groups = [] } = answer.status?.userInfo ?? {};
  return { username, groups };
}

interface Review {
  readonly status?: { readonly userInfo?: Partial<ClusterUser> };
}

interface Named {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
}

interface Workload extends Named {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly readyReplicas?: number;
    /** Of a DaemonSet. */
    readonly numberReady?: number;
    readonly desiredNumberScheduled?: number;
  };
}

function seenNamespace({ metadata }: Named): SeenNamespace {
  return { name: metadata.name, labels: metadata.labels ?? {}, isGoing: metadata.deletionTimestamp !== undefined };
}

function seenWorkload({ metadata, spec, status }: Workload): SeenWorkload {
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    labels: metadata.labels ?? {},
    isReady: isReady(spec, status),
  };
}

function isReady({ replicas = 1 }: Workload['spec'] & object = {}, status: Workload['status'] = {}): boolean {
  const { readyReplicas = 0, numberReady, desiredNumberScheduled = 1 } = status;
  return numberReady === undefined ? readyReplicas >= replicas : numberReady >= Math.max(1, desiredNumberScheduled);
}

async function namesOf(client: KubeClient, path: string, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = await client.list<Named>(path, {}, signal);
  return items.map(({ metadata }) => metadata.name).sort();
}

async function readKeys(client: KubeClient, signal: AbortSignal) {
  const labelSelector = 'sealedsecrets.bitnami.com/sealed-secrets-key';
  const { items } = await client.list<Named>('/api/v1/secrets', { labelSelector }, signal);
  return items.map(({ metadata: { namespace = '', name } }) => ({ namespace, name }));
}

/** Helm keeps each revision as a Secret and says on it what it is. */
async function readReleases(client: KubeClient, signal: AbortSignal): Promise<readonly SeenRelease[]> {
  const { items } = await client.list<Named>('/api/v1/secrets', { labelSelector: 'owner=helm' }, signal);
  return items.map(({ metadata: { namespace = '', name, labels = {} } }) => ({
    namespace,
    name: labels['name'] ?? name,
    revision: Number(labels['version'] ?? 0),
    status: labels['status'] ?? 'unknown',
  }));
}

/** The mark that `gitops-handoff` leaves. */
async function readBootstrap(client: KubeClient, namespace: string, signal: AbortSignal): Promise<string | undefined> {
  const path = `/api/v1/namespaces/${namespace}/configmaps/tiphys-bootstrap`;
  const found = await client.get<{ data?: Readonly<Record<string, string>> }>(path, signal);
  return found === undefined ? undefined : (found.data?.['platform'] ?? 'unknown');
}
