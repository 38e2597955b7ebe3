import type { App, Platform } from '../../core/platform/platform.ts';
import type { KubeObject } from '../store/objects.ts';

/** A kind of custom resource, and who brings its definition. */
export interface CustomKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

export const cephCluster: CustomKind = {
  group: 'ceph.rook.io',
  version: 'v1',
  kind: 'CephCluster',
  plural: 'cephclusters',
};

const databases: readonly { kind: CustomKind; names: RegExp; operators: RegExp }[] = [
  {
    kind: { group: 'kafka.strimzi.io', version: 'v1beta2', kind: 'Kafka', plural: 'kafkas' },
    names: /kafka/,
    operators: /kafka|strimzi/,
  },
  {
    kind: { group: 'redis.redis.opstreelabs.in', version: 'v1beta2', kind: 'RedisCluster', plural: 'redisclusters' },
    names: /redis|kv/,
    operators: /redis/,
  },
  {
    kind: { group: 'acid.zalan.do', version: 'v1', kind: 'postgresql', plural: 'postgresqls' },
    names: /./,
    operators: /postgres|zalando|^pg-/,
  },
];

/** The custom resource an app of this type consists of; undefined when it has none. */
export function mainKindOf(app: App): CustomKind | undefined {
  if (app.type === 'ceph') return cephCluster;
  if (app.type !== 'database') return undefined;
  return databases.find(({ names }) => names.test(app.name))?.kind;
}

/** For each custom resource the platform's apps consist of: the app that brings its definition, or undefined when it must be in the cluster from the start. */
export type Providers = ReadonlyMap<CustomKind, App | undefined>;

/** An operator named like a kind brings its definition. */
export function findProviders(platform: Platform): Providers {
  const apps = [...platform.apps.values()];
  const used = new Set(apps.flatMap((app) => mainKindOf(app) ?? []));
  return new Map(
    [...used].map((kind) => {
      const pattern = kind === cephCluster ? /ceph|rook/ : databases.find((each) => each.kind === kind)?.operators;
      return [kind, apps.find((app) => app.type === 'operator' && pattern?.test(app.name) === true)];
    }),
  );
}

/** Must the other app be Healthy before this one may start, directly or through others? Then what it brings can be relied on. */
export function reliesOn(platform: Platform, app: App, other: string): boolean {
  const seen = new Set<string>();
  const waiting = [app.name];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === other) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    for (const need of platform.apps.get(name)?.needs ?? []) {
      if (need.edge === 'hard' && !need.node.includes('#')) waiting.push(need.node);
    }
  }
  return false;
}

/** The definition of a kind of its own that an operator, or a part of an app, brings. */
export function ownKinds(app: App): readonly CustomKind[] {
  const parts = [...app.parts.values()].filter((part) => part.kinds.includes('CustomResourceDefinition'));
  const named = parts.flatMap((part) => part.names).map(kindOfDefinition);
  if (named.length > 0) return named;
  if (parts.length === 0 && app.type !== 'operator') return [];
  const known = wellKnownDefinitions[app.name];
  if (known !== undefined) return known.map(kindOfDefinition);
  return [{ group: `${app.name}.example.com`, version: 'v1', kind: 'Instance', plural: 'instances' }];
}

function kindOfDefinition(name: string): CustomKind {
  const dot = name.indexOf('.');
  const plural = dot < 0 ? name : name.slice(0, dot);
  const group = dot < 0 ? `${name}.example.com` : name.slice(dot + 1);
  const singular = plural.replace(/s$/, '');
  const kind = wellKnownKinds[plural] ?? `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`;
  return { group, version: wellKnownVersions[name] ?? 'v1', kind, plural };
}

/** Names that people know, so that what they see in the sandbox looks like their platform. */
const wellKnownDefinitions: Readonly<Record<string, readonly string[]>> = {
  prometheus: ['servicemonitors.monitoring.coreos.com', 'prometheusrules.monitoring.coreos.com'],
  'cert-manager': ['certificates.cert-manager.io', 'clusterissuers.cert-manager.io'],
  'sealed-secrets': ['sealedsecrets.bitnami.com'],
  'external-secrets': ['externalsecrets.external-secrets.io'],
};

const wellKnownKinds: Readonly<Record<string, string>> = {
  servicemonitors: 'ServiceMonitor',
  podmonitors: 'PodMonitor',
  prometheusrules: 'PrometheusRule',
  clusterissuers: 'ClusterIssuer',
  sealedsecrets: 'SealedSecret',
  externalsecrets: 'ExternalSecret',
};

/** A bootstrap installs the real one first, and no definition may drop a version that objects are stored in. */
const wellKnownVersions: Readonly<Record<string, string>> = { 'sealedsecrets.bitnami.com': 'v1alpha1' };

export function definitionOf({ group, version, kind, plural }: CustomKind): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}
