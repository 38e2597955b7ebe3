import { Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../src/adapters/clock/system-clock.ts';
import { findBinaries } from './binaries/find-binaries.ts';
import { down } from './cluster/down.ts';
import { asShell, exportsOf } from './cluster/exports.ts';
import { usualLine } from './cluster/known-or-new.ts';
import { alone } from './cluster/lock-name.ts';
import { isRunning } from './cluster/processes.ts';
import { readState, type TestbedState, testbedHome } from './cluster/state.ts';
import { describeTestbeds } from './cluster/status.ts';
import { TestbedError } from './cluster/testbed-error.ts';
import { up } from './cluster/up.ts';
import { runKubeletPart } from './kubelet/run-kubelet-part.ts';
import type { ArgoCdLine } from './testbed.ts';
import { runFakes } from './world/fakes.ts';
import { publishCommand } from './world/publish-command.ts';

/** The command line of the testbed. Answers the exit code. */
export async function main(args: readonly string[], { bundle }: { readonly bundle: string }): Promise<number> {
  try {
    await program(bundle).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (!(error instanceof TestbedError)) throw error;
    process.stderr.write(`error: ${error.message}\n  ${error.hint}\n`);
    return 1;
  }
}

const home = testbedHome(process.env);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

function program(bundle: string): Command {
  const root = new Command('testbed').description(
    'A real Kubernetes with a real Argo CD, as plain processes on loopback.',
  );
  root.showHelpAfterError();
  addUp(root, bundle);
  named(root.command('down').description('ends exactly what up has started'))
    .option('--delete', 'also forget everything: folder and ports')
    .action(async ({ name, delete: forget }: { name: string; delete?: true }) => {
      const ended = await down(home, name, { forget: forget === true });
      say(ended.length === 0 ? `testbed ${name}: nothing was running` : `testbed ${name}: ended ${ended.join(', ')}`);
    });
  root
    .command('status')
    .description('every testbed and its processes')
    .option('--name <name>', 'only this one', label)
    .action(({ name }: { name?: string }) => {
      const only = name === undefined ? undefined : existing(name).name;
      process.stdout.write(`${describeTestbeds(home, only).join('\n')}\n`);
    });
  named(root.command('env').description('shell exports, KUBECONFIG first')).action(({ name }: { name: string }) => {
    process.stdout.write(asShell(exportsOf(existing(name))));
  });
  named(root.command('publish <folder>').description('writes the platform into the testbed’s Git repository'))
    .option('--scenario <file>', 'how its workloads behave')
    .option('--fault <app=fault>', 'as in the sandbox, repeatable', (text, all: string[]) => [...all, text], [])
    .option('--speed <n>x|max', 'how much faster than the scenario', 'max')
    .action(async (folder: string, options: { name: string; scenario?: string; fault: string[]; speed: string }) => {
      await alone(home, options.name, () => publishCommand(running(options.name), { folder, ...options, report: say }));
    });
  root
    .command('programs')
    .description('the folder with all programs; what is not there yet is built')
    .addOption(argocdOption())
    .action(async ({ argocd = usualLine }: { argocd?: ArgoCdLine }) => {
      const { folder } = await findBinaries({ argocd, env: process.env, report: say });
      process.stdout.write(`${folder}\n`);
    });
  named(root.command('fakes', { hidden: true })).action(({ name }: { name: string }) =>
    untilAsked((signal) => runFakes(existing(name), signal)),
  );
  named(root.command('kubelet-part', { hidden: true })).action(({ name }: { name: string }) =>
    untilAsked((signal) => runKubeletPart(existing(name), signal)),
  );
  return root;
}

interface UpOptions {
  readonly name: string;
  readonly argocd?: ArgoCdLine;
  readonly reconciliation?: string;
  readonly requeue?: string;
  readonly empty?: true;
}

function addUp(root: Command, bundle: string): void {
  const start = async (options: UpOptions, afresh: boolean): Promise<void> => {
    const { name, argocd, reconciliation, requeue, empty } = options;
    const began = systemClock.now();
    const wishes = {
      ...(argocd && { argocd }),
      ...(reconciliation && { reconciliation }),
      ...(requeue && { requeue }),
      ...(empty && { empty }),
    };
    const { testbed, started } = await up({ home, name, env: process.env, report: say, bundle, afresh, ...wishes });
    const seconds = ((systemClock.now() - began) / 1000).toFixed(1);
    const what = started.length === 0 ? 'was up already' : `up in ${seconds} s (started ${started.length} processes)`;
    const inside = testbed.empty ? `empty, programs for Argo CD ${testbed.argocd}` : `Argo CD ${testbed.argocd}`;
    say(`testbed ${name} ${what}: Kubernetes at https://127.0.0.1:${testbed.ports.api}, ${inside}`);
    say(`  eval "$(npm run --silent testbed -- env --name ${name})"`);
  };
  wishes(
    named(root.command('up').description('starts everything that is not running, and waits until it is ready')),
  ).action((options: UpOptions) => start(options, false));
  wishes(named(root.command('reset').description('an empty cluster again'))).action((options: UpOptions) =>
    start(options, true),
  );
}

function wishes(command: Command): Command {
  return command
    .addOption(argocdOption())
    .option('--empty', 'nothing of Argo in it: what charts install of Argo is run here')
    .option(
      '--reconciliation <seconds>',
      'how often Argo CD looks at everything by itself, such as 10s; its controller starts again when this changes',
      seconds,
    )
    .addOption(
      new Option(
        '--requeue <time>',
        'how long a Workflow rests between two looks; its controller starts again when this changes',
      ).choices(['100ms', '200ms', '1s', '10s']),
    );
}

function argocdOption(): Option {
  return new Option('--argocd <line>', 'which Argo CD').choices(['3.4', '3.5']);
}

function seconds(text: string): string {
  if (!/^[1-9]\d*s$/.test(text)) throw new InvalidArgumentError('write seconds, such as 10s');
  return text;
}

function named(command: Command): Command {
  return command.option('--name <name>', 'which testbed', label, 'default');
}

function label(text: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError('use up to 32 small letters, digits and dashes, no dash at either end');
  return text;
}

function existing(name: string): TestbedState {
  const state = readState(home, name);
  if (state !== undefined) return state;
  throw new TestbedError(`there is no testbed ${name}`, `npm run testbed -- up --name ${name}`);
}

/** One whose API server runs, as far as is written down. */
function running(name: string): TestbedState {
  const state = existing(name);
  const api = state.processes['kube-apiserver'];
  if (api !== undefined && isRunning(api)) return state;
  throw new TestbedError(`the testbed ${name} is not running`, `npm run testbed -- up --name ${name}`);
}

async function untilAsked(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ending.abort());
  await work(ending.signal);
}
