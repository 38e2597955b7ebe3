import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemClock } from '../adapters/clock/system-clock.ts';
import { systemId, systemRandom } from '../adapters/clock/system-random.ts';
import { contextAlone } from '../adapters/kubernetes/kubeconfig.ts';
import { findProgram } from '../adapters/programs/find-program.ts';
import type { Run } from '../core/run/run.ts';
import { findCharts } from '../provision/find-charts.ts';
import { onFirstContact } from '../provision/first-contact.ts';
import { findOwnFiles, type OwnFiles } from '../provision/own-files.ts';
import { openPrivateFolder, type PrivateFolder } from '../provision/private-folder.ts';
import { secretsInVars, secretsOf } from '../provision/redact.ts';
import { runBootstrap } from '../provision/run-bootstrap.ts';
import { findAnsible } from './find-ansible.ts';
import { followRun } from './follow-run.ts';
import { findGitCredentials } from './git-credentials.ts';
import { ExitError, type Io } from './io.ts';
import type { LoadedPlatform } from './load-platform.ts';
import { kubeconfigSource, openTransport } from './open-transport.ts';
import type { Settings } from './settings.ts';

export interface BootstrapPlatformOrder {
  readonly loaded: LoadedPlatform;
  readonly settings: Settings;
  /** An ansible-playbook that is known to do; without it one is found or made. */
  readonly playbook?: string;
}

/** Phase 1: finds what it needs (or says what is missing, exit 3), then lets Ansible run and shows it like any run. */
export async function bootstrapPlatform(io: Io, { loaded, settings, playbook }: BootstrapPlatformOrder): Promise<Run> {
  const files = findOwnFiles();
  const folder = await openPrivateFolder();
  try {
    const inputs = await findInputs(io, { loaded, settings, files, folder });
    const { platform } = loaded;
    const order = {
      ...inputs,
      playbook: playbook ?? (await findAnsible(io)),
      platform,
      files,
      folder,
      runId: `bootstrap-${systemId()}`,
      env: io.env,
      clock: systemClock,
      deadlineMs: platform.environment.runTimeoutMs ?? longestMs,
      ...(settings.logLevel === 'debug' ? { onLine: (line: string) => io.err(`ansible: ${line}\n`) } : {}),
    };
    const view = { io, cluster: { world: { clock: systemClock } }, settings, action: 'bootstrap' };
    return await followRun(view, runBootstrap(order, io.stop));
  } finally {
    await folder.remove();
  }
}

/** Five releases of ten minutes each, and time to see them healthy. */
const longestMs = 90 * 60_000;

interface Surroundings {
  readonly loaded: LoadedPlatform;
  readonly settings: Settings;
  readonly files: OwnFiles;
  readonly folder: PrivateFolder;
}

interface Inputs {
  readonly kubeconfig: string;
  readonly secrets: readonly string[];
  readonly helm: string;
  readonly charts: string;
  readonly gitCredentials?: string;
  readonly moreVars?: string;
}

/** The quick checks first: who has to install something should not wait for a download before hearing of it. */
async function findInputs(io: Io, { loaded, settings, files, folder }: Surroundings): Promise<Inputs> {
  const { raw } = settings;
  const kubeconfig = await contextAlone(kubeconfigSource(io, settings));
  const git = await findGitCredentials(io, settings, loaded);
  const vars = moreVars(io, raw.vars);
  const helm = await findHelm(io);
  await mustAnswer(io, settings);
  const charts = join(folder.path, 'charts');
  await mkdir(charts);
  const lock = join(files.bootstrap, 'charts.lock');
  await findCharts({ lock, from: chartsFrom(io, raw.charts), into: charts, helm, env: io.env }, io.stop);
  const given = vars.moreVars === undefined ? [] : secretsInVars(readFileSync(vars.moreVars, 'utf8'));
  const secrets = [...secretsOf(kubeconfig), ...(git?.secrets ?? []), ...given];
  return { kubeconfig, secrets, helm, charts, ...vars, ...(git === undefined ? {} : { gitCredentials: git.path }) };
}

/** Neither Helm nor the Kubernetes modules of Ansible have a deadline for a server that takes a connection and says nothing. */
async function mustAnswer(io: Io, settings: Settings): Promise<void> {
  const { transport, server, close } = await openTransport(io, settings);
  try {
    const contact = { transport, clock: systemClock, random: systemRandom, doing: `reach the cluster at ${server}` };
    const version = await onFirstContact(contact, (client) => client.get('/version', io.stop));
    if (version !== undefined) return;
  } finally {
    close();
  }
  throw new ExitError(
    1,
    `${server} answers, but not like a Kubernetes API server: it has no /version`,
    'Is this the right kubeconfig and context?',
  );
}

async function findHelm(io: Io): Promise<string> {
  const helm = await findProgram('helm', io.env['PATH']);
  if (helm !== undefined) return helm;
  throw new ExitError(
    3,
    'helm is not in PATH',
    'Install Helm 3.12 or newer; `tiphys preflight` shows what else is missing.',
  );
}

/** A mirror's address stays as it is; a folder is meant from where the command was typed. */
function chartsFrom(io: Io, given: string | undefined): string | undefined {
  return given === undefined || given.startsWith('oci://') ? given : resolve(io.cwd, given);
}

/** Looked for now, so that a wrong name is told now. */
function moreVars(io: Io, given: string | undefined): { readonly moreVars?: string } {
  if (given === undefined) return {};
  const file = resolve(io.cwd, given);
  if (existsSync(file)) return { moreVars: file };
  throw new ExitError(3, `${given} is not there`, '--vars takes a file; bootstrap/README.md lists the variables.');
}
