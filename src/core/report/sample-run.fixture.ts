import type { Plan, Step } from '../plan/plan.ts';
import type { EdgeKind } from '../platform/platform.ts';
import type { RunEvent, RunEventBody } from '../run/events.ts';
import { emptyRun, foldRun } from '../run/fold-run.ts';
import type { Run } from '../run/run.ts';

/** A made-up but realistic run for tests and pictures: 47 apps and a part, each with a time, in nine stacks. */
export function sampleRun(options: SampleOptions = {}): Run {
  return sampleEvents(options).reduce(foldRun, emptyRun);
}

export interface SampleOptions {
  /** Apps that fail when their time has come, with the sentence. */
  readonly failing?: Readonly<Record<string, string>>;
  /** Only what happened in the first so many seconds. */
  readonly seconds?: number;
  /** Apps that were there before. */
  readonly skipped?: readonly string[];
  /** So many copies of everything, for platforms larger than the sample. */
  readonly copies?: number;
}

/** The events of that run, in the order of their times. */
export function sampleEvents({ failing = {}, seconds, skipped = [], copies = 1 }: SampleOptions = {}): RunEvent[] {
  const apps = sampleApps(copies);
  const plan = samplePlan(apps, skipped);
  const events: [number, RunEventBody][] = [
    [0, { type: 'phase-started', phase: 'observe', message: 'reading the cluster' }],
    [0.4, { type: 'run-started', runId: 'sample', plan, engine: 'embedded', order: 'edges', parallelism: 0 }],
    [0.5, { type: 'hold-set', project: 'platform', applications: apps.map(({ name }) => name) }],
    [1, { type: 'phase-started', phase: 'run', message: 'starting what needs nothing' }],
    ...nodeEvents(apps, failing, new Set(skipped)),
  ];
  const end = Math.max(...events.map(([at]) => at)) + 0.5;
  const failed = Object.keys(failing).length > 0;
  events.push([end, { type: 'run-finished', outcome: failed ? 'partial' : 'success', exitCode: failed ? 2 : 0 }]);
  const sorted = events.map((event, index) => ({ event, index }));
  sorted.sort((a, b) => a.event[0] - b.event[0] || a.index - b.index);
  return sorted
    .filter(({ event }) => seconds === undefined || event[0] <= seconds)
    .map(({ event: [at, body] }) => ({ at: timeAt(at), ...body }));
}

/** Sample time: so many seconds after three o'clock. */
export function timeAt(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 5, 3) + Math.round(seconds * 1000)).toISOString();
}

export function samplePlan(apps: readonly SampleApp[] = sampleApps(1), skipped: readonly string[] = []): Plan {
  const waveOf = new Map<string, number>();
  const wave = (app: SampleApp): number => {
    const known = waveOf.get(app.name);
    if (known !== undefined) return known;
    const needs = apps.filter(({ name }) => app.needs.has(name));
    const value = needs.length === 0 ? 0 : 1 + Math.max(...needs.map(wave));
    waveOf.set(app.name, value);
    return value;
  };
  const steps = apps.map((app): Step => sampleStep(app, wave(app), skipped.includes(app.name)));
  steps.sort((a, b) => a.wave - b.wave || (a.node < b.node ? -1 : 1));
  const waves: string[][] = [];
  for (const step of steps) {
    waves[step.wave] ??= [];
    waves[step.wave]?.push(step.node);
  }
  const criticalPath = ['metallb', 'ceph-operator', 'ceph-cluster', 'vault', 'external-secrets', 'pg-clusters'];
  return {
    kind: 'Plan',
    platform: 'reference',
    action: 'deploy',
    scope: 'platform',
    steps,
    waves,
    criticalPath: [...criticalPath, 'keycloak', 'backstage'],
    problems: [],
  };
}

function sampleStep(app: SampleApp, wave: number, skip: boolean): Step {
  const soft = [...app.needs].filter(([, edge]) => edge !== 'hard');
  return {
    node: app.name,
    stack: app.stack,
    application: app.name,
    action: skip ? 'skip' : app.name.includes('#') ? 'part' : 'sync',
    reason: skip ? 'Healthy at the wanted revision' : 'Application missing',
    after: [...app.needs.keys()].sort(),
    edges: Object.fromEntries(soft),
    wave,
  };
}

export interface SampleApp {
  readonly name: string;
  readonly stack: string;
  readonly needs: ReadonlyMap<string, EdgeKind>;
  readonly seconds: number;
}

export function sampleApps(copies = 1): readonly SampleApp[] {
  return Array.from({ length: copies }, (_, copy) => copy).flatMap((copy) => {
    const named = (name: string): string =>
      copy === 0 ? name : `${name.replace('#', `-${copy + 1}#`)}${name.includes('#') ? '' : `-${copy + 1}`}`;
    return sampleTable.map(([stack, name, seconds, needs]) => ({
      name: named(name),
      stack,
      seconds: seconds * (1 + copy * 0.1),
      needs: new Map(
        needs
          .split(' ')
          .filter((need) => need !== '')
          .map((need): [string, EdgeKind] => [named(need.replace('?', '')), need.endsWith('?') ? 'soft' : 'hard']),
      ),
    }));
  });
}

function nodeEvents(
  apps: readonly SampleApp[],
  failing: Readonly<Record<string, string>>,
  skipped: ReadonlySet<string>,
): [number, RunEventBody][] {
  const byName = new Map(apps.map((app) => [app.name, app]));
  const known = new Map<string, Ending>();
  const endOf = (app: SampleApp): Ending => {
    const before = known.get(app.name);
    if (before !== undefined) return before;
    const ending = endingOf(app, { byName, endOf, failing, skipped });
    known.set(app.name, ending);
    return ending;
  };
  return apps.flatMap((app) => eventsOf(app, endOf(app), failing[app.name]));
}

interface Ending {
  readonly start: number;
  readonly end: number;
  readonly skipped?: boolean;
  readonly by: readonly string[];
}

interface World {
  readonly byName: ReadonlyMap<string, SampleApp>;
  readonly endOf: (app: SampleApp) => Ending;
  readonly failing: Readonly<Record<string, string>>;
  readonly skipped: ReadonlySet<string>;
}

function endingOf(app: SampleApp, { byName, endOf, failing, skipped }: World): Ending {
  if (skipped.has(app.name)) return { start: 0.9, end: 0.9, skipped: true, by: [] };
  const needs = [...app.needs].flatMap(([name, edge]) => {
    const need = byName.get(name);
    return need === undefined ? [] : [{ name, edge, ...endOf(need) }];
  });
  const hard = needs.filter(({ edge }) => edge === 'hard');
  const by = [...new Set(hard.flatMap((need) => (need.name in failing ? [need.name] : need.by)))].sort();
  if (by.length > 0) {
    const causes = by.flatMap((name) => byName.get(name) ?? []).map((cause) => endOf(cause).end);
    return { start: Math.min(...causes), end: Math.min(...causes), by };
  }
  const start = Math.max(1, ...needs.map(({ end }) => end)) + 0.1;
  return { start, end: start + app.seconds, by };
}

function eventsOf(
  app: SampleApp,
  { start, end, by, skipped }: Ending,
  failure: string | undefined,
): [number, RunEventBody][] {
  const node = app.name;
  const evidence = {
    operationId: `sample/${node}`,
    revision: '4f2a9c1',
    operationPhase: 'Succeeded',
    refreshedAt: timeAt(end - 1),
    sync: 'Synced',
    health: 'Healthy',
    resources: 3 + (node.length % 9),
    stableSeconds: 0,
  };
  if (skipped) {
    const because = 'Healthy at the wanted revision';
    return [
      [start, { type: 'node-skipped', node, because, evidence }],
      [start, { type: 'hold-released', project: 'platform', applications: [node] }],
    ];
  }
  const waiting: [number, RunEventBody][] =
    app.needs.size === 0 ? [] : [[1, { type: 'node-waiting', node, for: [...app.needs.keys()].sort() }]];
  if (by.length > 0) return [...waiting, [start, { type: 'node-blocked', node, by }]];
  const synced = start + (end - start) * 0.35;
  const operationId = `sample/${node}`;
  const released: [number, RunEventBody][] =
    failure === undefined ? [[end, { type: 'hold-released', project: 'platform', applications: [node] }]] : [];
  return [
    ...waiting,
    [start, { type: 'node-started', node, attempt: 1 }],
    [start + 0.4, { type: 'operation-triggered', node, application: node, operationId }],
    [synced, { type: 'operation-finished', node, operationId, phase: 'Succeeded', message: 'successfully synced' }],
    [synced, { type: 'gate-progress', node, waitingFor: waitingFor(app), sync: 'Synced', health: 'Progressing' }],
    failure === undefined
      ? [end, { type: 'node-healthy', node, evidence }]
      : [end, { type: 'node-failed', node, because: failure, attempts: 1, timedOut: false }],
    ...released,
  ];
}

function waitingFor({ name }: SampleApp): string {
  return name.startsWith('ceph') ? 'CephCluster ceph: HEALTH_OK' : `Deployment ${name}: 1 of 3 replicas ready`;
}

/** Stack, app, seconds, needs; `?` marks a soft need. */
const sampleTable: readonly (readonly [string, string, number, string])[] = [
  ['infrastructure', 'metallb', 35, ''],
  ['infrastructure', 'ingress-nginx', 48, 'metallb'],
  ['infrastructure', 'cert-manager', 52, 'sealed-secrets'],
  ['infrastructure', 'external-dns', 22, 'sealed-secrets'],
  ['infrastructure', 'sealed-secrets', 18, ''],
  ['infrastructure', 'argocd', 95, 'ingress-nginx cert-manager external-dns? sealed-secrets pg-clusters?'],
  ['storage', 'ceph-operator', 75, 'metallb'],
  ['storage', 'ceph-cluster', 842, 'ceph-operator ingress-nginx cert-manager prometheus#crds'],
  ['storage', 'clickhouse-operator', 40, 'prometheus#crds'],
  ['storage', 'percona-everest', 66, 'ingress-nginx cert-manager'],
  ['storage', 'redis-operator', 38, 'cert-manager ceph-cluster?'],
  ['storage', 'scylladb-operator', 44, 'cert-manager'],
  ['storage', 'zalando-postgres-operator', 41, 'ceph-cluster ingress-nginx cert-manager external-dns?'],
  ['monitoring', 'prometheus#crds', 9, ''],
  ['monitoring', 'prometheus', 128, 'ceph-cluster'],
  ['monitoring', 'loki', 96, 'ceph-cluster'],
  ['monitoring', 'tempo', 61, 'ceph-cluster'],
  ['monitoring', 'promtail', 25, 'loki'],
  [
    'monitoring',
    'grafana',
    57,
    'ceph-cluster ingress-nginx cert-manager external-dns? prometheus? loki? tempo? sealed-secrets',
  ],
  ['security', 'crossplane', 70, 'vault argocd?'],
  ['security', 'external-secrets', 33, 'vault'],
  ['security', 'vault', 180, 'ceph-cluster ingress-nginx cert-manager external-dns?'],
  ['security', 'kyverno', 58, ''],
  [
    'security',
    'keycloak',
    145,
    'ceph-cluster ingress-nginx cert-manager crossplane external-secrets vault pg-clusters',
  ],
  ['security', 'falco', 45, ''],
  ['security', 'falco-talon', 20, 'falco'],
  ['platform-data', 'kv-clusters', 110, 'redis-operator ceph-cluster metallb external-secrets vault'],
  ['platform-data', 'pg-clusters', 238, 'zalando-postgres-operator ceph-cluster cert-manager external-secrets vault'],
  ['data-streaming', 'strimzi-kafka-operator', 50, 'ceph-cluster?'],
  ['data-streaming', 'kroxylicious-operator', 28, ''],
  ['data-streaming', 'kafka-cluster', 205, 'strimzi-kafka-operator ceph-cluster'],
  ['data-streaming', 'apicurio-registry', 60, 'kafka-cluster ingress-nginx cert-manager external-dns?'],
  ['data-streaming', 'kafka-proxy', 42, 'kroxylicious-operator kafka-cluster cert-manager apicurio-registry? metallb'],
  ['data-streaming', 'kafka-connect', 88, 'strimzi-kafka-operator kafka-cluster harbor'],
  ['data-streaming', 'kafka-ui', 30, 'kafka-cluster apicurio-registry? kafka-connect? ingress-nginx cert-manager'],
  ['developer-platform', 'tekton-operator', 64, ''],
  ['developer-platform', 'tekton-dashboard', 26, 'tekton-operator ingress-nginx cert-manager external-dns?'],
  [
    'developer-platform',
    'backstage',
    102,
    'ingress-nginx cert-manager keycloak external-secrets vault prometheus#crds pg-clusters',
  ],
  [
    'developer-platform',
    'harbor',
    160,
    'ceph-cluster ingress-nginx cert-manager external-secrets vault pg-clusters kv-clusters',
  ],
  ['developer-platform', 'verdaccio', 36, 'ceph-cluster ingress-nginx cert-manager external-dns?'],
  ['developer-platform', 'clusterapi', 55, 'cert-manager'],
  ['developer-platform', 'kubevirt', 120, 'ceph-cluster metallb'],
  ['developer-platform', 'kubevirt-cloud-controller-manager', 24, 'kubevirt'],
  ['developer-platform', 'kubevirt-manager', 31, 'kubevirt ingress-nginx cert-manager external-dns?'],
  ['development-workloads', 'argo-rollouts', 29, 'prometheus?'],
  ['development-workloads', 'kargo', 63, 'argocd ingress-nginx cert-manager sealed-secrets external-secrets vault'],
  ['development-workloads', 'tekton', 47, 'tekton-operator ingress-nginx cert-manager external-dns?'],
  [
    'application-infra',
    'temporal',
    118,
    'pg-clusters metallb ingress-nginx cert-manager external-secrets vault grafana? loki?',
  ],
];
