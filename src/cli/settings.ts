import { parseScope, type Scope, type ScopeWith } from '../core/plan/scope.ts';
import { parseDuration } from '../core/platform/parse-duration.ts';
import type { PlatformOverrides } from '../core/platform/platform-overrides.ts';
import { ExitError } from './io.ts';
import type { LogLevel } from './log-lines.ts';

/** Options as commander hands them over, after the environment filled the gaps. */
export interface RawOptions {
  kubeconfig?: string;
  context?: string;
  sandbox?: boolean;
  scenario?: string;
  fault?: string[];
  speed?: string;
  scope?: string;
  with?: string;
  engine?: string;
  order?: string;
  parallelism?: string;
  dryRun?: boolean;
  timeout?: string;
  nodeTimeout?: string[];
  gitRepository?: string;
  gitRevision?: string;
  /** A folder, or `oci://…`. */
  charts?: string;
  gitCredentials?: string;
  vars?: string;
  secrets?: string;
  /** A namespace; true: the default one. */
  fromCluster?: string | boolean;
  compare?: string;
  output?: string;
  out?: string;
  events?: string;
  logLevel?: string;
  logFormat?: string;
  color?: boolean;
  confirm?: string;
  pvPolicy?: string;
  includeStateful?: boolean;
  includeCrds?: boolean;
  detach?: boolean;
  action?: string;
  impact?: string;
  templates?: boolean;
  steps?: string;
  image?: string;
  namespace?: string;
  health?: string;
  workflow?: string;
  result?: string;
  handOver?: boolean;
  syncTimeout?: string;
  healthTimeout?: string;
  attempts?: string;
  backoff?: string;
}

export type Output = 'text' | 'json' | 'markdown' | 'html';

export interface Settings {
  readonly raw: RawOptions;
  readonly scope: Scope;
  readonly with: ScopeWith | undefined;
  readonly overrides: PlatformOverrides;
  readonly dryRun: boolean;
  readonly output: Output;
  readonly logLevel: LogLevel;
  readonly logFormat: 'text' | 'json';
  /** In base64, in memory only. */
  readonly kubeconfigData: string | undefined;
  /** The run will not be this process's: it belongs to a Workflow, and goes on when this process ends. */
  readonly runsWorkflow?: boolean;
}

/** R7.2: a flag wins over a variable, a variable over a file. Every value is checked here, once. */
export function readSettings(options: RawOptions, env: Readonly<Record<string, string | undefined>>): Settings {
  const raw = withVariables(options, env);
  const environment = nonEmpty(env['ENVIRONMENT']);
  if (environment !== undefined) oneOf('ENVIRONMENT', environment, ['development', 'staging', 'production']);
  const scopeText = raw.scope ?? 'platform';
  const scope = parseScope(scopeText);
  if (scope === undefined) throw invalid('--scope', scopeText, 'platform, stack:<name> or app:<name>');
  mustNotContradict(raw, scope);
  return {
    raw,
    scope,
    with: optional(raw.with, (value) => oneOf('--with', value, ['needs', 'dependents', 'both'] as const)),
    overrides: overridesOf(raw),
    dryRun: raw.dryRun === true,
    output: oneOf('--output', raw.output ?? outputOf(raw.out), ['text', 'json', 'markdown', 'html'] as const),
    logLevel: oneOf('--log-level', raw.logLevel ?? 'info', ['debug', 'info', 'warn', 'error'] as const),
    logFormat: oneOf('--log-format', raw.logFormat ?? 'text', ['text', 'json'] as const),
    kubeconfigData: raw.kubeconfig === undefined && raw.sandbox !== true ? nonEmpty(env['KUBECONFIG_DATA']) : undefined,
  };
}

/** What is said twice in two ways was meant in one of them, and only its author knows which. */
function mustNotContradict({ sandbox, kubeconfig, context, with: along }: RawOptions, { kind }: Scope): void {
  if (sandbox === true && (kubeconfig ?? context) !== undefined) {
    const other = kubeconfig === undefined ? '--context' : '--kubeconfig';
    throw new ExitError(3, `--sandbox and ${other} name two clusters`, 'Leave one of them out.');
  }
  if (along !== undefined && kind === 'platform') {
    const hint = 'Add --scope stack:<name> or app:<name>, or leave --with out.';
    throw new ExitError(3, `--with ${along} adds nothing to the whole platform`, hint);
  }
}

/** `--out report.html` without `-o` means what its name says. */
function outputOf(file: string | undefined): Output {
  const ending = file?.slice(file.lastIndexOf('.') + 1);
  return { html: 'html' as const, json: 'json' as const, md: 'markdown' as const }[ending ?? ''] ?? 'text';
}

export function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw invalid(name, value, allowed.join(', '));
  return found;
}

export function invalid(name: string, value: string, allowed: string): ExitError {
  return new ExitError(3, `${name} cannot be “${value}”`, `Use ${allowed}.`);
}

function withVariables(options: RawOptions, env: Readonly<Record<string, string | undefined>>): RawOptions {
  const pick = (flag: string | undefined, variable: string): string | undefined => flag ?? nonEmpty(env[variable]);
  const filled: Record<string, string | undefined> = {
    kubeconfig:
      options.sandbox === true
        ? options.kubeconfig
        : (options.kubeconfig ?? (env['KUBECONFIG_DATA'] ? undefined : nonEmpty(env['KUBECONFIG_PATH']))),
    scope: pick(options.scope, 'TARGET_SCOPE'),
    logLevel: pick(options.logLevel, 'LOG_LEVEL'),
    logFormat: pick(options.logFormat, 'LOG_FORMAT'),
    gitRepository: pick(options.gitRepository, 'GIT_URL'),
    gitRevision: pick(options.gitRevision, 'GIT_REVISION'),
    charts: pick(options.charts, 'CHARTS'),
    gitCredentials: pick(options.gitCredentials, 'GIT_CREDENTIALS'),
    vars: pick(options.vars, 'BOOTSTRAP_VARS'),
    pvPolicy: pick(options.pvPolicy, 'PV_POLICY'),
    confirm: pick(options.confirm, 'CONFIRM'),
  };
  const dryRun = options.dryRun ?? booleanVariable('DRY_RUN', env['DRY_RUN']);
  const given = Object.fromEntries(Object.entries(filled).filter(([, value]) => value !== undefined));
  return { ...options, ...given, ...(dryRun === undefined ? {} : { dryRun }) };
}

function booleanVariable(name: string, value: string | undefined): boolean | undefined {
  if (value === undefined || value === '') return undefined;
  return oneOf(name, value.toLowerCase(), ['true', 'false', '1', '0'] as const).match(/^(true|1)$/) !== null;
}

function overridesOf(raw: RawOptions): PlatformOverrides {
  const timeouts = nodeTimeouts(raw.nodeTimeout ?? []);
  return Object.fromEntries(
    Object.entries({
      gitRepository: optional(raw.gitRepository, withoutPassword),
      gitRevision: raw.gitRevision,
      nodeTimeouts: timeouts.size === 0 ? undefined : timeouts,
      engine: optional(raw.engine, (value) => oneOf('--engine', value, ['embedded', 'argo-workflows'] as const)),
      order: optional(raw.order, (value) => oneOf('--order', value, ['edges', 'waves'] as const)),
      parallelism: optional(raw.parallelism, (value) => wholeNumber('--parallelism', value)),
      pvPolicy: optional(raw.pvPolicy, (value) =>
        oneOf('--pv-policy', value, ['retain', 'delete', 'snapshot'] as const),
      ),
      runTimeoutMs: optional(raw.timeout, (value) => duration('--timeout', value)),
    }).filter(([, value]) => value !== undefined),
  );
}

/** R7.5: what stands on a command line can be read by everybody on the machine, and is not repeated here. */
function withoutPassword(url: string): string {
  if (!/^[a-z+]+:\/\/[^/@]*:[^/@]*@|^https?:\/\/[^/@]*@/i.test(url)) return url;
  throw new ExitError(
    3,
    '--git-repository holds a password or a token',
    'Remove it; Argo CD has its own repository credentials.',
  );
}

/** `20m` means every app, `ceph-cluster=45m` one. */
function nodeTimeouts(values: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    values.map((value) => {
      const [left, right] = value.split('=', 2);
      return right === undefined
        ? ['*', duration('--node-timeout', value)]
        : [left ?? '', duration('--node-timeout', right)];
    }),
  );
}

function duration(name: string, value: string): number {
  const ms = parseDuration(value);
  if (ms === undefined || ms <= 0) throw invalid(name, value, 'a Go duration such as 90s, 5m or 1h30m');
  return ms;
}

function wholeNumber(name: string, value: string): number {
  if (!/^\d{1,6}$/.test(value)) throw invalid(name, value, 'a whole number; 0 means no limit');
  return Number(value);
}

function optional<T>(value: string | undefined, read: (value: string) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
