import { dirname } from 'node:path';
import { systemClock } from '../adapters/clock/system-clock.ts';
import { systemRandom } from '../adapters/clock/system-random.ts';
import { planBootstrap } from '../core/bootstrap/plan-bootstrap.ts';
import { planText } from '../core/report/plan-text.ts';
import type { Report } from '../core/report/report.ts';
import { toReport } from '../core/report/to-report.ts';
import { onFirstContact } from '../provision/first-contact.ts';
import { type BootstrapState, isBootstrapped } from '../provision/is-bootstrapped.ts';
import { openEventsFile } from './events-file.ts';
import type { Invocation } from './invocation.ts';
import type { Io } from './io.ts';
import type { LoadedPlatform } from './load-platform.ts';
import { mustNotMeanTheSandbox } from './open-cluster.ts';
import { openTransport } from './open-transport.ts';
import { printReport } from './print-report.ts';
import type { Settings } from './settings.ts';

/** What deploy finds when phases 0 and 1 are over. */
export type Brought =
  /** `isEmpty`: only in a dry run, where nothing was brought. */
  | { readonly ready: true; readonly isEmpty: boolean; readonly bootstrap?: Report }
  | { readonly ready: false; readonly exitCode: number };

/** R7.6: where the primitives are absent, preflight and bootstrap come first; an Argo CD that is not ours is never touched. */
export async function bringToPhaseTwo(
  invocation: Invocation,
  loaded: LoadedPlatform,
  settings: Settings,
): Promise<Brought> {
  if (settings.raw.sandbox === true) return { ready: true, isEmpty: false };
  mustNotMeanTheSandbox(settings);
  // Whoever asked for this file finds it, however soon this ends; and one that cannot be written is told before anything is done.
  if (settings.raw.events !== undefined) openEventsFile(invocation.io, settings.raw.events).close();
  const state = await lookAround(invocation, loaded, settings);
  if (state === 'ready') return { ready: true, isEmpty: false };
  const { io } = invocation;
  io.err(`${sentences[state]}\n`);
  if (settings.dryRun) {
    const color = false;
    io.err(`It would first:\n${planText(planBootstrap(loaded.platform.name), { width: io.columns, color })}\n`);
    return { ready: true, isEmpty: state === 'empty' };
  }
  return bootstrapFirst(invocation, loaded, settings);
}

const sentences: Record<Exclude<BootstrapState, 'ready'>, string> = {
  empty: 'There is no Argo CD in this cluster: deploy bootstraps it first.',
  unfinished: 'The bootstrap of this cluster is not complete: deploy takes it up again first.',
};

async function lookAround(
  { io }: Invocation,
  { platform }: LoadedPlatform,
  settings: Settings,
): Promise<BootstrapState> {
  const { transport, close } = await openTransport(io, settings);
  try {
    const contact = { transport, clock: systemClock, random: systemRandom, doing: 'look for Argo CD' };
    return await onFirstContact(contact, (client) => isBootstrapped(client, platform, io.stop));
  } finally {
    close();
  }
}

async function bootstrapFirst({ io }: Invocation, loaded: LoadedPlatform, settings: Settings): Promise<Brought> {
  // Loaded only here: who deploys to a cluster that has everything needs none of it.
  const [{ findAnsible }, { bootstrapPlatform }] = await Promise.all([
    import('./find-ansible.ts'),
    import('./bootstrap-platform.ts'),
  ]);
  const playbook = await findAnsible(io);
  const refused = await preflightFirst(io, { loaded, settings, playbook });
  if (refused !== undefined) return { ready: false, exitCode: refused };
  const run = await bootstrapPlatform(io, { loaded, settings, playbook });
  const report = toReport(run, { action: 'bootstrap', folder: loaded.folder });
  if (run.outcome === 'success') return { ready: true, isEmpty: false, bootstrap: report };
  await printReport(io, settings, report);
  return { ready: false, exitCode: run.exitCode ?? 1 };
}

/** Phase 0 with the Ansible that will be used. Its exit code if it says no; then its report is the result. */
async function preflightFirst(
  io: Io,
  { loaded, settings, playbook }: { loaded: LoadedPlatform; settings: Settings; playbook: string },
): Promise<number | undefined> {
  const [{ runPreflight }, { printPreflight }] = await Promise.all([
    import('./run-preflight.ts'),
    import('./print-preflight.ts'),
  ]);
  io.err('Looking first whether this machine and this cluster are ready (tiphys preflight).\n');
  const env = { ...io.env, TIPHYS_ANSIBLE: dirname(playbook) };
  const report = await runPreflight({ io: { ...io, env }, loaded, settings, purpose: 'bootstrap' });
  if (report.exitCode !== 0) {
    await printPreflight(io, settings, report);
    return report.exitCode;
  }
  const { warn } = report.counts;
  if (warn > 0) io.err(`They are, with ${warn} warnings; \`tiphys preflight ${loaded.folder}\` shows them.\n`);
  return undefined;
}
