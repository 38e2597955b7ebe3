import { stringify } from 'yaml';
import { pack } from '../../adapters/argo-workflows/packing.ts';
import type { Plan } from '../../core/plan/plan.ts';
import { planDeploy } from '../../core/plan/plan-deploy.ts';
import { compileWorkflows, type Workflow } from '../../core/workflow/compile-workflow.ts';
import { writeRun } from '../../core/workflow/run-document.ts';
import { workflowTemplates } from '../../core/workflow/run-templates.ts';
import { tasksPerWorkflow } from '../../core/workflow/workflow-parts.ts';
import { observe } from '../../engine/observe.ts';
import { folderOf } from '../folder-of.ts';
import type { CommandRun } from '../invocation.ts';
import { ExitError } from '../io.ts';
import { type LoadedPlatform, loadPlatform } from '../load-platform.ts';
import { openCluster } from '../open-cluster.ts';
import { printResult } from '../print-report.ts';
import { oneOf, type RawOptions, readSettings } from '../settings.ts';
import { version } from '../version.ts';

/** The Workflow that `deploy --engine argo-workflows` would submit now. */
export const compileCommand: CommandRun = async (invocation) => {
  const { io, options } = invocation;
  const settings = readSettings({ ...options, output: 'text' }, io.env);
  const format = oneOf('--output', options.output ?? 'yaml', ['yaml', 'json'] as const);
  if (options.templates === true) {
    await printResult(io, settings, templatesText(options, format));
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
    await printResult(io, settings, manifestsText(compiled(loaded, plan), format));
    return 0;
  } finally {
    cluster.close();
  }
};

/** What charts/tiphys installs, for who installs it by other means. */
function templatesText({ steps, image }: Pick<RawOptions, 'steps' | 'image'>, format: 'yaml' | 'json'): string {
  const templates = workflowTemplates({
    steps: oneOf('--steps', steps ?? 'agent', ['agent', 'pod'] as const),
    image: image ?? `tiphys/executor:${version}`,
  });
  return manifestsText(templates, format);
}

/** A plan as manifests that anybody may submit, nearly always one; the run is named after the Workflow that it becomes. */
export function compiled({ platform, source }: LoadedPlatform, plan: Plan): readonly Workflow[] {
  const { order, parallelism } = platform.environment;
  const run = pack(writeRun({ runId: '', source, plan, order, parallelism, mostTasks: tasksPerWorkflow }));
  return compileWorkflows({ platform, plan, order, run });
}

export function manifestsText(manifests: readonly object[], format: 'yaml' | 'json'): string {
  if (format === 'yaml')
    return manifests.map((one) => stringify(one, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n');
  const [only] = manifests;
  return JSON.stringify(
    manifests.length === 1 ? only : { apiVersion: 'v1', kind: 'List', items: manifests },
    undefined,
    2,
  );
}
