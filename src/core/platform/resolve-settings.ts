import type { AppSpec, Dag } from './dag-schema.ts';
import type { EnvironmentSpec } from './environment-schema.ts';
import type { AppType, Environment, Retries, Timeouts } from './platform.ts';
import type { PlatformOverrides } from './platform-overrides.ts';

const MINUTE = 60_000;

/** R3.9: what an app of this type may take when nobody says otherwise. */
const builtInTimeouts: Readonly<Record<AppType, Timeouts>> = {
  simple: { syncMs: 5 * MINUTE, healthMs: 5 * MINUTE },
  operator: { syncMs: 10 * MINUTE, healthMs: 10 * MINUTE },
  database: { syncMs: 15 * MINUTE, healthMs: 15 * MINUTE },
  vault: { syncMs: 15 * MINUTE, healthMs: 15 * MINUTE },
  ceph: { syncMs: 30 * MINUTE, healthMs: 30 * MINUTE },
};

const builtInRetries: Retries = { maxAttempts: 3, backoffMs: 10_000 };

/** Everything that has a say in an app's settings. */
export interface Settings {
  readonly environment: EnvironmentSpec;
  readonly defaults: NonNullable<Dag['defaults']>;
  readonly overrides: PlatformOverrides;
}

/** Lowest first: built-in by type, environment.yaml, dag.yaml defaults, the node, environment.yaml overrides, the command line. */
export function resolveTimeouts(name: string, spec: AppSpec, settings: Settings): Timeouts {
  const { environment, defaults, overrides } = settings;
  const builtIn = builtInTimeouts[spec.type ?? 'simple'];
  const changed = ownValue(environment.overrides?.timeouts ?? {}, name);
  const written = [environment.timeouts, defaults.timeouts, spec.timeouts, changed];
  const commanded = overrides.nodeTimeouts?.get(name) ?? overrides.nodeTimeouts?.get('*');
  return {
    syncMs: last([builtIn.syncMs, ...written.map((each) => each?.sync), commanded]) ?? builtIn.syncMs,
    healthMs: last([builtIn.healthMs, ...written.map((each) => each?.health), commanded]) ?? builtIn.healthMs,
  };
}

/** Same order of precedence as for time-outs. */
export function resolveRetries(spec: AppSpec, { environment, defaults }: Settings): Retries {
  const written = [environment.retries, defaults.retries, spec.retries];
  return {
    maxAttempts: last(written.map((each) => each?.maxAttempts)) ?? builtInRetries.maxAttempts,
    backoffMs: last(written.map((each) => each?.backoff)) ?? builtInRetries.backoffMs,
  };
}

/** An app may be called `constructor`. */
function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function last<Value>(values: readonly (Value | undefined)[]): Value | undefined {
  return values.findLast((value) => value !== undefined);
}

/** The environment with its defaults filled in and the command line's word on top. */
export function resolveEnvironment(spec: EnvironmentSpec, overrides: PlatformOverrides): Environment {
  const { name = '', domain = '', clusterName } = spec;
  const { argocdNamespace = 'argocd', workflowsNamespace = 'argo' } = spec;
  const runTimeoutMs = overrides.runTimeoutMs ?? spec.runTimeout;
  return {
    name,
    domain,
    ...(clusterName === undefined ? {} : { clusterName }),
    argocdNamespace,
    workflowsNamespace,
    ...(runTimeoutMs === undefined ? {} : { runTimeoutMs }),
    ...resolveGit(spec, overrides),
    ...resolveRun(spec, overrides),
  };
}

function resolveGit(spec: EnvironmentSpec, overrides: PlatformOverrides) {
  return {
    gitRepository: overrides.gitRepository ?? spec.gitRepository ?? '',
    gitRevision: overrides.gitRevision ?? spec.gitRevision ?? '',
  };
}

function resolveRun(spec: EnvironmentSpec, overrides: PlatformOverrides) {
  return {
    engine: overrides.engine ?? spec.engine ?? 'embedded',
    order: overrides.order ?? spec.order ?? 'edges',
    parallelism: overrides.parallelism ?? spec.parallelism ?? 0,
    pvPolicy: overrides.pvPolicy ?? spec.pvPolicy ?? 'retain',
  } as const;
}
