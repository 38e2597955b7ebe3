import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Platform } from '../../src/core/platform/platform.ts';
import { syncAndWaitTemplate } from '../../src/core/workflow/workflow-templates.ts';
import { brokenEdges } from '../../testbed/audit/broken-edges.ts';
import { creations } from '../../testbed/audit/creations.ts';
import { operations } from '../../testbed/audit/operations.ts';
import { writesOf } from '../../testbed/audit/writes-of.ts';
import { isRunning } from '../../testbed/cluster/processes.ts';
import { readState, testbedHome } from '../../testbed/cluster/state.ts';
import { leaseHolder, wrongAfterDeploy } from '../chaos/judge.ts';
import { type RunningAgent, startAgent } from './agent.ts';
import { type Line, publishLine } from './line-platform.ts';
import { startPodDouble } from './pod-double.ts';
import type { Running } from './program.ts';
import { type Ended, freshTestbed, type RealBed } from './testbed.ts';
import { eventually } from './waiting.ts';

const name = 'real-workflows';
const workflows = '/apis/argoproj.io/v1alpha1/namespaces/argo/workflows';
const patience = 900_000;
let bed: RealBed;
let agent: RunningAgent;

beforeAll(async () => {
  bed = await freshTestbed(name);
  agent = await startAgent(bed);
}, patience);

afterAll(async () => {
  await agent?.stop();
  await bed?.close();
});

describe('the reference platform, run by the real Argo Workflows controller and our agent', () => {
  const folder = 'platforms/reference';
  let platform: Platform;

  it('is deployed from nothing with exit 0 and 47 Healthy apps (R4.2)', { timeout: patience }, async () => {
    ({ platform } = await bed.publish(folder));
    const { exitCode, report, err } = await deployed(folder);
    expect([exitCode, report.failures], err).toEqual([0, []]);
    expect(report.nodes.filter(({ state }) => state === 'healthy').length).toBeGreaterThanOrEqual(47);
  });

  it('had no object created before all hard needs of its app were Healthy, by the audit log (INV-1)', async () => {
    const entries = await bed.audit();
    const apps = new Set(creations(entries).map(({ application }) => application));
    expect([...platform.apps.values()].filter(({ application }) => !apps.has(application))).toEqual([]);
    expect(brokenEdges(platform, entries)).toEqual([]);
    expect(operations(entries).filter(({ automated }) => automated)).toEqual([]);
  });

  it('was handed over by the last step: Synced, Healthy, no window, no operation and no lease is left (R3.2)', async () => {
    expect(await wrongAfterDeploy({ client: bed.client, platform })).toEqual([]);
  });

  it('is left alone by a second deploy: exit 0 and not one write', { timeout: patience }, async () => {
    const since = Date.now();
    const { exitCode, err } = await deployed(folder);
    const writes = writesOf(await bed.audit(since), 'testbed-admin').filter(({ isLease }) => !isLease);
    expect([exitCode, writes], err).toEqual([0, []]);
  });
});

describe('a Workflow that something happens to', () => {
  it('omits and keeps held what needs a failed app, exit 2, and a second one does the rest (R5.4)', {
    timeout: patience,
  }, async () => {
    const line = await publishLine(bed, 'broken', { faults: ['broken-two=sync-fails'] });
    const first = await deployed(line.folder);
    expect(first.exitCode, first.err).toBe(2);
    expect(stateOf(first, line.app('two'))).toBe('failed');
    expect([stateOf(first, line.app('three')), stateOf(first, line.app('aside'))]).toEqual(['blocked', 'healthy']);
    expect((await nodesOfLast(line))[line.app('three')]).toBe('Omitted');
    expect(first.report.held).toEqual(expect.arrayContaining([line.app('two'), line.app('three')]));
    await publishLine(bed, 'broken');
    const since = Date.now();
    const second = await deployed(line.folder);
    expect(second.exitCode, second.err).toBe(0);
    // Records of the first run stand there still; they are told by the second in which they began.
    const again = operations(await bed.audit(since)).filter(
      ({ application, startedAt }) =>
        application === line.app('one') && Date.parse(startedAt) >= since - (since % 1000),
    );
    expect([stateOf(second, line.app('one')), again]).toEqual(['skipped', []]);
    await wentRight(line);
  });

  it('goes on when the agent was killed in the middle and another one came (R5.5)', { timeout: patience }, async () => {
    const line = await publishLine(bed, 'orphan');
    const run = deploying(line);
    await begun(run, line.app('two'));
    await agent.kill();
    agent = await startAgent(bed);
    expect(await run.ended, run.said.err).toBe(0);
    await wentRight(line);
  });

  it('goes on when its controller was killed in the middle and started again', { timeout: patience }, async () => {
    const line = await publishLine(bed, 'headless');
    const run = deploying(line);
    await begun(run, line.app('two'));
    await killComponent('workflow-controller');
    await testbedUp();
    expect(await run.ended, run.said.err).toBe(0);
    await wentRight(line);
  });

  it('goes on when the API server was killed in the middle and started again', { timeout: patience }, async () => {
    const line = await publishLine(bed, 'mute');
    const run = deploying(line);
    await begun(run, line.app('two'));
    await killComponent('kube-apiserver');
    await testbedUp();
    expect(await run.ended, `${run.said.err}\n${agent.said.err}`).toBe(0);
    await wentRight(line);
  });

  it('that is deleted by hand ends the run with a sentence, and the next run does the rest', {
    timeout: patience,
  }, async () => {
    const line = await publishLine(bed, 'deleted');
    const run = deploying(line);
    await begun(run, line.app('two'));
    await bed.client.delete(`${workflows}/${(await lastWorkflow(line)).metadata.name}`);
    expect(await run.ended, run.said.err).toBe(1);
    expect(run.said.err).toMatch(/Workflow argo\/deleted-\S+ was deleted while it ran/);
    const { exitCode, err } = await deployed(line.folder);
    expect(exitCode, err).toBe(0);
    await wentRight(line);
  });

  it('leaves no operation behind and keeps the hold when it is terminated or stopped during a long sync', {
    timeout: patience,
  }, async () => {
    // Between two waves, until what the first one has brought is healthy.
    const line = await publishLine(bed, 'ended', { two: 'waves: 2, ready: 10m' });
    for (const shutdown of ['Terminate', 'Stop'] as const) await leavesNothing(line, shutdown);
    await publishLine(bed, 'ended');
    const { exitCode, err } = await deployed(line.folder);
    expect(exitCode, err).toBe(0);
    await wentRight(line);
  });

  it('runs without whoever submitted it, and can be attached to', { timeout: patience }, async () => {
    const line = await publishLine(bed, 'detached');
    const submitted = start('deploy', line.folder, '--engine', 'argo-workflows', '--detach');
    expect(await submitted.ended, submitted.said.err).toBe(0);
    expect(submitted.said.out + submitted.said.err).toContain('tiphys attach');
    const attached = start('attach', line.folder);
    expect(await attached.ended, attached.said.err).toBe(0);
    expect(attached.said.out).toMatch(/4 of 4 healthy/);
    await wentRight(line);
  });
});

describe('a Workflow whose steps run in pods of their own', () => {
  it('is deployed without an agent, one pod for each step and one for the hand-over', {
    timeout: patience,
  }, async () => {
    await agent.stop();
    const template = syncAndWaitTemplate({ kind: 'pod', image: 'example.com/tiphys:test' });
    const path = '/apis/argoproj.io/v1alpha1/clusterworkflowtemplates/tiphys-sync-and-wait';
    await bed.client.apply(path, template, { force: true });
    await bed.client.create('/api/v1/namespaces/argo/serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'tiphys-step', namespace: 'argo' },
    });
    const double = startPodDouble(bed);
    const line = await publishLine(bed, 'pods');
    const run = deploying(line);
    expect(await run.ended, run.said.err).toBe(0);
    await double.stop();
    expect(double.ran.filter((command) => command.startsWith('executor step pods-'))).toHaveLength(4);
    expect(double.ran.filter((command) => command.startsWith('executor step --hand-over'))).toHaveLength(1);
    await wentRight(line);
  });

  it('leaves no operation behind and keeps the hold when it is terminated or stopped during a long sync', {
    timeout: patience,
  }, async () => {
    const double = startPodDouble(bed);
    const line = await publishLine(bed, 'halted', { two: 'waves: 2, ready: 10m' });
    for (const shutdown of ['Terminate', 'Stop'] as const) await leavesNothing(line, shutdown);
    await double.stop();
  });
});

/** Shuts a Workflow down during a sync that waits for the first of two waves, and looks at what is left. */
async function leavesNothing(line: Line, shutdown: 'Stop' | 'Terminate'): Promise<void> {
  const run = deploying(line);
  await eventually('its sync waits for the first wave', async () => {
    stillRuns(run);
    const { phase, message } = await lastOperation(line.app('two'));
    return phase === 'Running' && /waiting for healthy state/.test(message);
  });
  const path = `${workflows}/${(await lastWorkflow(line)).metadata.name}`;
  await bed.client.mergePatch(path, { spec: { shutdown } });
  expect(await run.ended, run.said.err).toBe(1);
  const isFree = async (): Promise<boolean> => (await leaseHolder(bed.client, line.name)) === undefined;
  await eventually('the lease is free', isFree);
  expect(await lastOperation(line.app('two'))).toMatchObject({ phase: 'Failed', message: 'Operation terminated' });
  const left = await wrongAfterDeploy({ client: bed.client, platform: line.platform });
  expect(left.filter((sentence) => sentence.includes('operation'))).toEqual([]);
  for (const app of [line.app('two'), line.app('three')])
    expect(left).toContainEqual(expect.stringContaining(`${app} is still held`));
  await bed.client.delete(path);
}

const kubeconfig = (): string[] => ['--kubeconfig', join(bed.state.folder, 'kubeconfig')];

function deployed(folder: string, ...more: readonly string[]): Promise<Ended> {
  return bed.run('deploy', folder, '--engine', 'argo-workflows', ...kubeconfig(), ...more);
}

function start(command: 'deploy' | 'attach', ...words: readonly string[]): Running {
  // Whoever follows needs the rights of whoever deploys, no others.
  return bed.start(command as 'deploy', ...words, ...kubeconfig());
}

function deploying({ folder }: Line): Running {
  return start('deploy', folder, '--engine', 'argo-workflows');
}

async function begun(run: Running, app: string): Promise<void> {
  await eventually(`${app} has begun`, async () => {
    stillRuns(run);
    return run.said.err.includes(`/${app}] started`);
  });
}

function stillRuns({ said, child }: Running): void {
  if (child.exitCode !== null) throw new Error(`the run ended with ${child.exitCode}:\n${said.err}`);
}

/** Judged by the cluster: nothing before its turn, everything Healthy and released. */
async function wentRight({ platform }: Line): Promise<void> {
  expect(brokenEdges(platform, await bed.audit())).toEqual([]);
  expect(await wrongAfterDeploy({ client: bed.client, platform })).toEqual([]);
}

function stateOf({ report }: Ended, app: string): string | undefined {
  return report.nodes.find((node) => node.name === app)?.state;
}

interface SeenWorkflow {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly nodes?: Readonly<Record<string, { displayName: string; phase: string }>> };
}

async function lastWorkflow({ name: platform }: Line): Promise<SeenWorkflow> {
  const { items } = await bed.client.list<SeenWorkflow>(workflows, {
    labelSelector: `tiphys.dev/platform=${platform}`,
  });
  const [last] = items;
  if (last === undefined) throw new Error(`there is no Workflow of ${platform}`);
  return last;
}

async function lastOperation(app: string): Promise<{ readonly phase: string; readonly message: string }> {
  const path = `/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/${app}`;
  const seen = await bed.client.get<{ status?: { operationState?: { phase: string; message?: string } } }>(path);
  const { phase = '', message = '' } = seen?.status?.operationState ?? {};
  return { phase, message };
}

async function nodesOfLast(line: Line): Promise<Readonly<Record<string, string>>> {
  const nodes = Object.values((await lastWorkflow(line)).status?.nodes ?? {});
  return Object.fromEntries(nodes.map(({ displayName, phase }) => [displayName, phase]));
}

async function killComponent(component: string): Promise<void> {
  const started = readState(testbedHome(process.env), name)?.processes[component];
  if (started === undefined) throw new Error(`${component} was never started`);
  process.kill(started.pid, 'SIGKILL');
  await eventually(`${component} is gone`, async () => !isRunning(started));
}

async function testbedUp(): Promise<void> {
  await promisify(execFile)(process.execPath, ['testbed/run.mjs', 'up', '--name', name]);
}
