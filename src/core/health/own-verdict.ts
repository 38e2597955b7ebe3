import { applicationVerdict } from './kinds/application.ts';
import { cephClusterVerdict } from './kinds/ceph-cluster.ts';
import { crdVerdict } from './kinds/custom-resource-definition.ts';
import { kafkaVerdict } from './kinds/kafka.ts';
import { postgresqlVerdict } from './kinds/postgresql.ts';
import { fields, text } from './kinds/read-object.ts';
import { redisClusterVerdict } from './kinds/redis-cluster.ts';
import { temporalClusterVerdict } from './kinds/temporal-cluster.ts';
import { vaultVerdict } from './kinds/vault.ts';
import type { Verdict, VerdictPolicy } from './kinds/verdict.ts';

/**
 * Judges one live object by what it says about its own operation; undefined for a kind we have no opinion on.
 * `companion` is the object `companionOf` names, when the caller could read it.
 */
export function ownVerdict(
  object: unknown,
  policy: VerdictPolicy = defaultPolicy,
  companion?: unknown,
): Verdict | undefined {
  const { apiVersion, kind, metadata } = fields(object);
  const check = checks[`${groupOf(text(apiVersion))}/${text(kind)}`];
  if (check === undefined) return undefined;
  const deletedAt = text(fields(metadata)['deletionTimestamp']);
  if (deletedAt !== '') return { status: 'progressing', message: `being deleted since ${deletedAt}` };
  return check(fields(object), policy, companion);
}

/** The second object a verdict wants to see, when the first one does not tell the whole truth. */
export function companionOf(object: unknown): Companion | undefined {
  const { apiVersion, kind, metadata } = fields(object);
  if (`${groupOf(text(apiVersion))}/${text(kind)}` !== 'acid.zalan.do/postgresql') return undefined;
  const { namespace, name } = fields(metadata);
  // The operator gives the StatefulSet the cluster's own name; only there are the ready replicas counted.
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: text(namespace), name: text(name) };
}

export type { Verdict, VerdictPolicy };

export interface Companion {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

type Check = (object: Readonly<Record<string, unknown>>, policy: VerdictPolicy, companion: unknown) => Verdict;

const defaultPolicy: VerdictPolicy = { cephWarn: 'wait' };

const checks: Readonly<Record<string, Check>> = Object.assign(Object.create(null), {
  'acid.zalan.do/postgresql': (object, _policy, companion) => postgresqlVerdict(object, companion),
  'apiextensions.k8s.io/CustomResourceDefinition': crdVerdict,
  'argoproj.io/Application': applicationVerdict,
  'ceph.rook.io/CephCluster': cephClusterVerdict,
  'kafka.strimzi.io/Kafka': kafkaVerdict,
  'redis.redis.opstreelabs.in/RedisCluster': redisClusterVerdict,
  'temporal.io/TemporalCluster': temporalClusterVerdict,
  'vault.banzaicloud.com/Vault': vaultVerdict,
} satisfies Record<string, Check>);

/** The kinds `ownVerdict` judges, sorted. */
export const ownVerdictKinds: readonly { readonly group: string; readonly kind: string }[] = Object.keys(checks).map(
  (key) => {
    const [group = '', kind = ''] = key.split('/');
    return { group, kind };
  },
);

/** Whether `ownVerdict` judges objects of this kind. */
export function hasOwnVerdict({ group, kind }: { readonly group: string; readonly kind: string }): boolean {
  return checks[`${group}/${kind}`] !== undefined;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}
