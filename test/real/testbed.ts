import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { Report } from '../../src/core/report/report.ts';
import type { RunEvent } from '../../src/core/run/events.ts';
import { type AuditEntry, readAudit } from '../../testbed/audit/read-audit.ts';
import { readState, type TestbedState, testbedHome } from '../../testbed/cluster/state.ts';
import { createTop } from '../../testbed/world/create-top.ts';
import { openTestbed } from '../../testbed/world/open-testbed.ts';
import { type Published, type PublishOptions, publish } from '../../testbed/world/publish.ts';
import { buildProgram, type Running, startProgram } from './program.ts';
import type { RoleName } from './rights.ts';
import { giveRoles, kubeconfigFor } from './roles.ts';
import { eventually } from './waiting.ts';

/** A real cluster with a real Argo CD, and our program as a process beside it, with no more rights than deploy/rbac gives. */
export interface RealBed {
  readonly state: TestbedState;
  /** Our program, built for this testbed alone. */
  readonly program: string;
  /** The cluster's administrator. */
  readonly client: KubeClient;
  /** Commits the platform, and creates what a bootstrap brings. */
  publish(folder: string, options?: PublishOptions): Promise<Published>;
  /** Starts our program under the role of its command: `start('deploy', 'platforms/hello')`. */
  start(...words: readonly [Command, ...string[]]): Running;
  /** Runs it to its end and reads its report and its events. */
  run(...words: readonly [RoleName, ...string[]]): Promise<Ended>;
  /** Everything the API server has answered since then, up to now. */
  audit(since?: number): Promise<AuditEntry[]>;
  close(): Promise<void>;
}

export type Command = RoleName | 'status' | 'plan' | 'explain';

export interface Ended {
  readonly exitCode: number | null;
  readonly report: Report;
  readonly events: readonly RunEvent[];
  readonly err: string;
}

const execute = promisify(execFile);

/** An empty testbed of this name, made anew. Argo CD looks at everything again every ten seconds. */
export async function freshTestbed(name: string): Promise<RealBed> {
  const program = await buildProgram(name);
  try {
    await testbedCommand('reset', '--name', name, '--reconciliation', '10s');
  } catch (error) {
    await testbedCommand('down', '--name', name);
    throw error;
  }
  const state = readState(testbedHome(process.env), name);
  if (state === undefined) throw new Error(`there is no testbed ${name}`);
  const { client, close } = await openTestbed(state);
  await eventually('Argo CD’s kinds are listed', async () => {
    const listed = await client.get<{ resources: { name: string }[] }>('/apis/argoproj.io/v1alpha1');
    return ['applications', 'appprojects'].every((kind) => listed?.resources.some(({ name }) => name === kind));
  });
  await giveRoles(client, state);
  const started: Running[] = [];
  const start: RealBed['start'] = (command, ...words) => {
    const running = startProgram(program, [command, ...flagsFor(state, command), ...words]);
    started.push(running);
    return running;
  };
  return {
    state,
    program,
    client,
    async publish(folder, options) {
      const published = await publish(state, folder, options);
      await createTop(client, published);
      return published;
    },
    start,
    run: (command, ...words) => runToItsEnd(state, (...more) => start(command, ...words, ...more)),
    audit: (since) => auditUntilNow(state, client, since),
    async close() {
      for (const { child } of started) child.kill('SIGKILL');
      close();
      await testbedCommand('down', '--name', name, '--delete');
    },
  };
}

async function testbedCommand(...words: readonly string[]): Promise<void> {
  await execute(process.execPath, ['testbed/run.mjs', ...words]);
}

function flagsFor(state: TestbedState, command: Command): string[] {
  const role = command === 'deploy' || command === 'teardown' ? command : 'validate';
  const repository = `file://${join(state.folder, 'repo')}`;
  return ['--kubeconfig', kubeconfigFor(state, role), '--git-repository', repository];
}

async function runToItsEnd(state: TestbedState, start: (...more: readonly string[]) => Running): Promise<Ended> {
  const file = join(state.folder, 'events.jsonl');
  const { said, ended } = start('-o', 'json', '--events', file);
  const exitCode = await ended;
  if (said.out === '') throw new Error(`it ended with ${exitCode} and without a report:\n${said.err}`);
  const events = readFileSync(file, 'utf8').trim().split('\n');
  rmSync(file);
  return {
    exitCode,
    report: JSON.parse(said.out) as Report,
    events: events.map((line) => JSON.parse(line) as RunEvent),
    err: said.err,
  };
}

/** The log is written a moment after the answer: when a request made now stands in it, so does everything before. */
async function auditUntilNow(state: TestbedState, client: KubeClient, since = 0): Promise<AuditEntry[]> {
  const mark = `mark-${Date.now()}`;
  await client.delete(`/api/v1/namespaces/argo/configmaps/${mark}`);
  return eventually('the audit log holds what has just been asked', async () => {
    const entries = readAudit(join(state.folder, 'audit.log'), since);
    const isUpToNow = entries.some(({ name }) => name === mark);
    return isUpToNow && entries.filter(({ name }) => name !== mark);
  });
}
