import { stringify } from 'yaml';
import { pack } from '../../adapters/argo-workflows/packing.ts';
import type { Plan } from '../../core/plan/plan.ts';
import { planDeploy } from '../../core/plan/plan-deploy.ts';
import { compileWorkflow, type Workflow } from '../../core/workflow/compile-workflow.ts';
import { writeRun } from '../../core/workflow/run-document.ts';
import { syncAndWaitTemplate } from '../../core/workflow/workflow-templates.ts';
import { observe } from '../../engine/observe.ts';
import { openCluster } from '../cluster.ts';
import { folderOf } from '../folder-of.ts';
import type { CommandRun } from '../invocation.ts';
import type { Io } from '../io.ts';
import { ExitError } from '../io.ts';
import { type LoadedPlatform, loadPlatform } from '../load-platform.ts';
import { printResult } from '../print-report.ts';
import { oneOf, readSettings, type Settings } from '../settings.ts';

/** The Workflow that `deploy --engine argo-workflows` would submit now. */
export const compileCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings({ ...options, output: 'text' }, io.env);
  const format = oneOf('--output', options.output ?? 'yaml', ['yaml', 'json'] as const);
  if (options.templates === true) {
    await printManifest(io, settings, { manifest: syncAndWaitTemplate({ kind: 'agent' }), format });
    return 0;
  }
  const loaded = await loadPlatform(io, folderOf(invocation), settings);
  const cluster = await openCluster(io, loaded, settings);
  try {
    const observed = await cluster.drive(() => observe(cluster.world, loaded.platform, io.stop));
    const scope = { scope: settings.scope, ...(settings.with === undefined ? {} : { with: settings.with }) };
    const plan = planDeploy(loaded.platform, observed, { ...scope, seconds: cluster.seconds });
    const error = plan.problems.find(({ severity }) => severity === 'error');
    if (error !== undefined) throw new ExitError(3, error.what, error.remedy);
    await printManifest(io, settings, { manifest: compiled(loaded, plan), format });
    return 0;
  } finally {
    cluster.close();
  }
};

/** A plan as the manifest that anybody may submit; its run is named after the Workflow that it becomes. */
export function compiled({ platform, source }: LoadedPlatform, plan: Plan): Workflow {
  const { order, parallelism } = platform.environment;
  const run = pack(writeRun({ runId: '', source, plan, order, parallelism }));
  return compileWorkflow({ platform, plan, order, run });
}

export async function printManifest(
  io: Io,
  settings: Settings,
  { manifest, format }: { readonly manifest: object; readonly format: 'yaml' | 'json' },
): Promise<void> {
  const text = format === 'json' ? JSON.stringify(manifest, undefined, 2) : stringify(manifest, { lineWidth: 0 });
  await printResult(io, settings, text);
}
