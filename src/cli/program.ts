import { Command } from 'commander';
import type { CommandRun } from './invocation.ts';
import type { Io } from './io.ts';
import type { RawOptions } from './settings.ts';
import { version } from './version.ts';

/** The whole command line. Each command is loaded only when it is used. */
export function createProgram(
  io: Io,
  { isExecutor }: { readonly isExecutor: boolean },
  result: { exitCode: number },
): Command {
  const program = new Command(isExecutor ? 'executor' : 'tiphys');
  program
    .description(
      'Brings a platform of Argo CD Applications up in dependency order, and takes it down again in reverse.',
    )
    .version(version, '-V, --version')
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .addHelpText(
      'after',
      '\nStart here: tiphys deploy platforms/hello --sandbox\nExit codes: 0 done · 1 failed · 2 partial · 3 wrong input · 4 run time-out',
    );

  function add(spec: string, description: string, load: () => Promise<CommandRun>): Command {
    const command = program.command(spec).description(description).exitOverride();
    command.action(async (...given: unknown[]) => {
      const args = command.processedArgs.filter((value): value is string => typeof value === 'string');
      const run = await load();
      result.exitCode = await run({ io, args, options: given[given.length - 2] as RawOptions, isExecutor });
    });
    return command;
  }

  addRunCommands(add);
  addProvisionCommands(add);
  if (isExecutor) addWorkflowCommands(add);
  else addReadingCommands(add);
  return program;
}

type Add = (spec: string, description: string, load: () => Promise<CommandRun>) => Command;

function addRunCommands(add: Add): void {
  const deploy = add(
    'deploy [folder]',
    'plan, then run it: every app after everything it needs is Healthy',
    async () => (await import('./commands/deploy.ts')).deployCommand,
  );
  bootstrapOptions(clusterOptions(deploy)).option(
    '--detach',
    'leave the run to Argo Workflows (engine argo-workflows)',
  );
  const validate = add(
    'validate [folder]',
    'health and compliance of what is there; reads only',
    async () => (await import('./commands/validate.ts')).validateCommand,
  );
  clusterOptions(validate);
  const teardown = add(
    'teardown [folder]',
    'the reverse of deploy; needs --confirm <platform name>',
    async () => (await import('./commands/teardown.ts')).teardownCommand,
  );
  clusterOptions(teardown)
    .option('--confirm <name>', 'the platform’s name, to say that you mean it')
    .option('--pv-policy <policy>', 'PersistentVolumes: retain (default), delete or snapshot')
    .option('--include-stateful', 'also remove apps marked stateful')
    .option('--include-crds', 'also remove CustomResourceDefinitions')
    .option('--compare <file>', 'with the snapshot of a preflight (-o json) before the first deploy: what is left');
}

/** What a cluster goes through before its first deploy. */
function addProvisionCommands(add: Add): void {
  const preflight = add(
    'preflight [folder]',
    'phase 0: is this machine, is this cluster ready for the platform? changes nothing',
    async () => (await import('./commands/preflight.ts')).preflightCommand,
  );
  bootstrapOptions(clusterOptions(preflight))
    .option('--from-cluster [namespace]', 'also look from inside: makes one Pod there (default), and removes it')
    .option('--compare <file>', 'with the snapshot in an earlier report (-o json): what has been added since');
  const bootstrap = add(
    'bootstrap [folder]',
    'phase 1: Argo CD and what it needs, through Ansible',
    async () => (await import('./commands/bootstrap.ts')).bootstrapCommand,
  );
  bootstrapOptions(clusterOptions(bootstrap));
}

/** Where a bootstrap, or a deploy that begins with one, finds what it installs. */
function bootstrapOptions(command: Command): Command {
  return command
    .option('--charts <folder|oci://mirror>', 'instead of the sources in bootstrap/charts.lock')
    .option('--git-credentials <path>', 'a file or folder, for Argo CD to read the Git repository with')
    .option('--secrets <folder>', 'where secrets are mounted (/secrets)')
    .option('--vars <file>', 'more variables of the roles: values of charts, mirrors of images, patience');
}

function addReadingCommands(add: Add): void {
  addFileCommands(add);
  const plan = add(
    'plan [folder]',
    'what deploy would do now, in order, and why',
    async () => (await import('./commands/plan.ts')).planCommand,
  );
  clusterOptions(plan)
    .option('--action <action>', 'deploy (default) or teardown')
    .option('--include-stateful', 'for teardown: also apps marked stateful');
  const status = add(
    'status [folder]',
    'phase, who holds the run lease, every app’s health and what it waits for',
    async () => (await import('./commands/status.ts')).statusCommand,
  );
  clusterOptions(status, 'text or json');
  const explain = add(
    'explain <app> [folder]',
    'why this app is where it is: needs, needed by, gate, what it waits for now',
    async () => (await import('./commands/explain.ts')).explainCommand,
  );
  clusterOptions(explain, 'text or json');
  const compile = add(
    'compile [folder]',
    'the plan as an Argo Workflow manifest',
    async () => (await import('./commands/compile.ts')).compileCommand,
  );
  clusterOptions(compile, 'yaml (default) or json')
    .option('--templates', 'the ClusterWorkflowTemplates of charts/tiphys instead')
    .option('--steps <runner>', 'of the templates: agent (default) or pod')
    .option('--image <image>', 'of the templates: the executor’s');
  const attach = add(
    'attach [folder]',
    'follow a run that Argo Workflows does, whoever started it',
    async () => (await import('./commands/attach.ts')).attachCommand,
  );
  clusterOptions(attach).option('--workflow <name>', 'instead of the one that runs, or ran last');
  const sandbox = add(
    'sandbox [folder]',
    'serve the embedded cluster’s Kubernetes API until SIGTERM or SIGINT',
    async () => (await import('./commands/sandbox.ts')).sandboxCommand,
  );
  sandboxOptions(sandbox)
    .option('--listen <host:port>', 'where to listen', '127.0.0.1:0')
    .option('--write-kubeconfig <file>', 'write a kubeconfig for it');
}

/** Commands that need files and no cluster. */
function addFileCommands(add: Add): void {
  const check = add(
    'check [folder]',
    'read the folder and report every problem',
    async () => (await import('./commands/check.ts')).checkCommand,
  );
  outputOptions(overrideOptions(check), 'text or json');
  const graph = add(
    'graph [folder]',
    'the graph as text, DOT, Mermaid or SVG',
    async () => (await import('./commands/graph.ts')).graphCommand,
  );
  overrideOptions(graph)
    .option('-o, --output <format>', 'text, dot, mermaid, svg or json')
    .option('--out <file>', 'write there instead of stdout')
    .option('--impact <app>', 'mark what would be affected if this app failed')
    .option('--no-color', 'no colours');
  const report = add(
    'report <file>',
    'render a saved report or --events file as text, Markdown or HTML',
    async () => (await import('./commands/report.ts')).reportCommand,
  );
  outputOptions(report);
  add(
    'schema <document>',
    'JSON Schema of dag, environment or report',
    async () => (await import('./commands/schema.ts')).schemaCommand,
  );
}

/** What Argo Workflows runs. */
function addWorkflowCommands(add: Add): void {
  const agent = add(
    'agent',
    'do the steps of Workflows, until SIGTERM',
    async () => (await import('./commands/agent.ts')).agentCommand,
  );
  stepOptions(agent).option('--health <host:port>', 'answer /healthz and /readyz there');
  const step = add(
    'step [node]',
    'one step of a Workflow, in a pod of its own',
    async () => (await import('./commands/step.ts')).stepCommand,
  );
  stepOptions(step)
    .option('--workflow <name>', 'the Workflow it belongs to')
    .option('--hand-over', 'the last step: release what is Healthy')
    .option('--result <file>', 'where Argo Workflows picks the result up')
    .option('--sync-timeout <duration>', 'instead of the platform’s')
    .option('--health-timeout <duration>', 'instead of the platform’s')
    .option('--attempts <n>', 'instead of the platform’s')
    .option('--backoff <duration>', 'instead of the platform’s');
}

function stepOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'the cluster; in a pod, its own')
    .option('--context <name>', 'instead of its current context')
    .option('--namespace <namespace>', 'where the Workflows are', 'argo');
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function outputOptions(command: Command, formats = 'text, json, markdown or html'): Command {
  return command
    .option('-o, --output <format>', formats)
    .option('--out <file>', 'write the result there instead of stdout')
    .option('--no-color', 'no colours');
}

function overrideOptions(command: Command): Command {
  return command
    .option('--git-repository <url>', 'instead of the environment’s')
    .option('--git-revision <revision>', 'instead of the environment’s')
    .option(
      '--node-timeout <duration>',
      'sync and health time-out of every app, or <app>=<duration>; repeatable',
      collect,
    );
}

function sandboxOptions(command: Command): Command {
  return command
    .option('--scenario <file>', 'sandbox only: how it behaves; the folder’s scenario.yaml unless told')
    .option(
      '--fault <app=fault>',
      'sandbox only: degraded, never-healthy, sync-fails[:<times>], sealed, empty, stuck-finalizer; repeatable',
      collect,
    )
    .option('--speed <speed>', 'sandbox only: 60x, or max');
}

/** Common to all that touch a cluster; what a command has no use for changes nothing in it. */
function clusterOptions(command: Command, formats?: string): Command {
  sandboxOptions(
    command
      .option('--kubeconfig <file>', 'the cluster')
      .option('--context <name>', 'instead of its current context')
      .option('--sandbox', 'a fresh embedded cluster in this process'),
  );
  return overrideOptions(outputOptions(command, formats))
    .option('--scope <scope>', 'platform, stack:<name> or app:<name>')
    .option('--with <what>', 'also needs, dependents or both')
    .option('--engine <engine>', 'embedded or argo-workflows')
    .option('--order <order>', 'edges (default) or waves')
    .option('--parallelism <n>', 'how many apps at once; 0 means no limit')
    .option('--dry-run', 'print the plan and stop')
    .option('--timeout <duration>', 'of the whole run')
    .option('--events <file>', 'every event as one JSON line')
    .option('--log-level <level>', 'debug, info, warn or error')
    .option('--log-format <format>', 'text or json');
}
