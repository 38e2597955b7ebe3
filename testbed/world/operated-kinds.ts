import { operatedAnnotation } from './annotations.ts';
import type { OperatedKind } from './operator-stages.ts';

/** The part of a CustomResourceDefinition that tells which objects it allows. */
export interface Definition {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The kind a definition brings, when objects of that kind have an operator in the testbed. */
export function operatedKind({ metadata, spec }: Definition): OperatedKind | undefined {
  const { group, names, versions } = spec;
  const isOperated = known.includes(`${group}/${names.kind}`) || metadata.annotations?.[operatedAnnotation] === 'true';
  const version = versions.find(({ storage }) => storage);
  return isOperated && version !== undefined ? { group, version: version.name, kind: names.kind } : undefined;
}

/** The kinds whose health somebody judges: Argo CD, its Lua scripts, or our own checks. */
const known: readonly string[] = [
  'ceph.rook.io/CephCluster',
  'acid.zalan.do/postgresql',
  'kafka.strimzi.io/Kafka',
  'redis.redis.opstreelabs.in/RedisCluster',
  'temporal.io/TemporalCluster',
  'vault.banzaicloud.com/Vault',
  'argoproj.io/EventBus',
];

/** The API groups of those whose operators tell one state after the other. */
export const operatedGroups: readonly string[] = known
  .map((kind) => kind.split('/')[0] as string)
  .filter((group) => group !== 'argoproj.io');
