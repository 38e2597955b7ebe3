import type { Observed } from '../../core/plan/observed.ts';
import { planDeploy } from '../../core/plan/plan-deploy.ts';
import { toReport } from '../../core/report/to-report.ts';
import type { PlatformSource } from '../../core/workflow/run-document.ts';
import { type DeployOrder, deploy } from '../../engine/deploy.ts';
import { observe } from '../../engine/observe.ts';
import type { WorkflowSettings } from '../../engine/run-workflow.ts';
import { type Brought, bringToPhaseTwo } from '../bring-to-phase-two.ts';
import type { Cluster } from '../cluster.ts';
import { folderOf } from '../folder-of.ts';
import { followRun } from '../follow-run.ts';
import type { CommandRun } from '../invocation.ts';
import { ExitError, type Io } from '../io.ts';
import { type LoadedPlatform, loadPlatform } from '../load-platform.ts';
import { openCluster } from '../open-cluster.ts';
import { printPlan } from '../print-plan.ts';
import { printReport, printResult } from '../print-report.ts';
import { readSettings, type Settings } from '../settings.ts';
import { traceparentOf } from '../trace-context.ts';
import { compiled, manifestsText } from './compile.ts';

export const deployCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings(options, io.env);
  const loaded = await loadPlatform(io, folderOf(invocation), settings);
  const runsWorkflow = loaded.platform.environment.engine === 'argo-workflows';
  mayDetach(settings, runsWorkflow);
  const brought = await bringToPhaseTwo(invocation, loaded, settings);
  if (!brought.ready) return brought.exitCode;
  const cluster = await openCluster(io, loaded, { ...settings, runsWorkflow });
  const stage = { loaded, settings, cluster, brought };
  try {
    return await (settings.dryRun ? dryRun(io, stage) : run(io, stage));
  } finally {
    cluster.close();
  }
};

function workflowSettings({ env }: Io, source: PlatformSource, { raw }: Settings): WorkflowSettings {
  const traceparent = traceparentOf(env);
  return { source, detach: raw.detach === true, ...(traceparent === undefined ? {} : { traceparent }) };
}

/** Leaving a run alone means that somebody else does it. */
function mayDetach({ raw }: Settings, runsWorkflow: boolean): void {
  if (raw.detach !== true) return;
  if (!runsWorkflow)
    throw new ExitError(
      3,
      '--detach needs the engine argo-workflows',
      'Add --engine argo-workflows, or leave --detach out.',
    );
  if (raw.sandbox === true)
    throw new ExitError(
      3,
      '--detach leaves nothing behind in the sandbox',
      'The sandbox ends with this process: leave --detach out.',
    );
}

/** What a deploy works with, once the cluster has what it needs. */
interface Stage {
  readonly loaded: LoadedPlatform;
  readonly settings: Settings;
  readonly cluster: Cluster;
  readonly brought: Extract<Brought, { readonly ready: true }>;
}

async function run(io: Io, { loaded, settings, cluster, brought: { bootstrap } }: Stage): Promise<number> {
  const { platform, folder } = loaded;
  const runsWorkflow = platform.environment.engine === 'argo-workflows';
  const events = deploy(cluster.world, orderOf(io, { loaded, settings, cluster }), io.stop);
  const view = { io, cluster, settings, action: 'deploy', isLater: bootstrap !== undefined };
  const result = await cluster.drive(() =>
    runsWorkflow ? served(cluster, () => followRun(view, events)) : followRun(view, events),
  );
  if (settings.raw.detach === true && result.workflow !== undefined && result.outcome === undefined) {
    await printResult(io, settings, detachedText(result.workflow, folder));
    return 0;
  }
  const nextSteps = cluster.isSandbox && result.exitCode === 0 ? sandboxSteps(folder, loaded) : [];
  const context = { action: 'deploy' as const, nextSteps, folder, isSandbox: cluster.isSandbox };
  const report = toReport(result, { ...context, ...(bootstrap === undefined ? {} : { bootstrap }) });
  await printReport(io, settings, report);
  return result.exitCode ?? 1;
}

function orderOf(io: Io, { loaded, settings, cluster }: Omit<Stage, 'brought'>): DeployOrder {
  const { platform, source } = loaded;
  const { order, parallelism, runTimeoutMs, engine } = platform.environment;
  return {
    platform,
    runId: `deploy-${cluster.world.newId()}`,
    scope: settings.scope,
    ...(settings.with === undefined ? {} : { with: settings.with }),
    order,
    parallelism,
    seconds: cluster.seconds,
    ...(runTimeoutMs === undefined ? {} : { runTimeoutMs }),
    ...(engine === 'argo-workflows' ? { workflow: workflowSettings(io, source, settings) } : {}),
  };
}

async function served<T>(cluster: Cluster, work: () => Promise<T>): Promise<T> {
  const ending = new AbortController();
  try {
    await cluster.serveSteps(ending.signal);
    return await work();
  } finally {
    ending.abort(new Error('the run has ended'));
  }
}

function detachedText(workflow: string, folder: string): string {
  const [namespace, name] = workflow.split('/');
  return [
    `Workflow ${workflow} runs the plan; nothing here needs to stay open.`,
    `Follow it: tiphys attach ${folder}`,
    `See it: tiphys status ${folder}, or kubectl get workflow ${name} -n ${namespace}`,
  ].join('\n');
}

/** What somebody who has just seen their first run would like to see next. */
function sandboxSteps(folder: string, { platform }: LoadedPlatform): string[] {
  const victim =
    [...platform.apps.values()].find((app) => app.type === 'vault' || app.type === 'ceph') ??
    [...platform.apps.values()][0];
  return [
    `Break it: bin/tiphys deploy ${folder} --sandbox --fault ${victim?.name}=never-healthy`,
    `Take it down: bin/tiphys teardown ${folder} --sandbox --confirm ${platform.name}`,
    'Check your own: bin/tiphys check <your folder>, with dag.yaml and environment.yaml as in platforms/hello',
  ];
}

/** What a cluster without Argo CD shows. */
const nothing: Observed = { applications: new Map(), projects: new Map(), checks: new Map() };

async function dryRun(io: Io, { loaded, settings, cluster, brought }: Stage): Promise<number> {
  const { platform } = loaded;
  const observed = brought.isEmpty ? nothing : await cluster.drive(() => observe(cluster.world, platform, io.stop));
  const plan = planDeploy(platform, observed, {
    scope: settings.scope,
    ...(settings.with === undefined ? {} : { with: settings.with }),
    seconds: cluster.seconds,
  });
  io.err('Dry run: this is the plan; nothing was changed.\n');
  const isRefused = plan.problems.some(({ severity }) => severity === 'error');
  if (loaded.platform.environment.engine === 'argo-workflows' && !isRefused && settings.raw.output === undefined) {
    await printResult(io, settings, manifestsText(compiled(loaded, plan), 'yaml'));
    return 0;
  }
  await printPlan(io, settings, plan);
  return isRefused ? 3 : 0;
}
