import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SleepyHome, sleepyHome } from '../cluster/sleepy-home.fixture.ts';
import type { TestbedState } from '../cluster/state.ts';
import { type FakeCluster, fakeCluster } from './fake-cluster.fixture.ts';
import type { Keeper } from './keep-part.ts';
import { type PodOf, podOf } from './pod.fixture.ts';
import { createRunner } from './run-once.ts';

let sleepy: SleepyHome;
let state: TestbedState;
let cluster: FakeCluster;
let runner: Keeper;

beforeEach(async () => {
  sleepy = sleepyHome();
  state = await sleepy.testbed('mine');
  cluster = fakeCluster(state);
  runner = createRunner(cluster.world, {
    kind: 'once',
    name: 'job',
    label: 'argocd/redis-secret-init',
    program: process.execPath,
  });
});

afterEach(() => sleepy.close());

describe('a Job of Argo’s charts', () => {
  it('is run by the host’s program with the words of its pod and the rights of its ServiceAccount', async () => {
    await run({
      container: { command: ['argocd', '-e', 'console.log(process.argv.slice(1).join(" "))', '--', 'admin'] },
    });
    expect(phase()).toBe('Succeeded');
    expect(readFileSync(join(state.folder, 'log/job.log'), 'utf8')).toBe(
      `admin --kubeconfig=${state.folder}/kubelet/job.kubeconfig\n`,
    );
    await step();
    expect(cluster.tokens).toEqual(['server']);
  });

  it('is tried again after a rest when it fails, with its last words in the status', async () => {
    const failing = ['argocd', '-e', 'console.log("forbidden"); process.exit(20)', '--'];
    await run({ container: { command: failing }, spec: { restartPolicy: 'OnFailure' } });
    expect(cluster.pods.get('job')?.status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'forbidden' } },
    });
    await step();
    expect(cluster.tokens).toHaveLength(1);
    cluster.later(10_000);
    await step();
    expect(cluster.tokens).toHaveLength(2);
  });

  it('has failed for good when its pod is not to be started again', async () => {
    const failing = ['argocd', '-e', 'process.exit(1)', '--'];
    await run({ container: { command: failing }, spec: { restartPolicy: 'Never' } });
    expect(phase()).toBe('Failed');
  });

  it('lets its pod go', async () => {
    await run({ isLeaving: true });
    expect([cluster.pods.size, cluster.tokens]).toEqual([0, []]);
  });
});

async function run(given: PodOf): Promise<void> {
  cluster.pods.set('job', podOf('job', { label: 'argocd/redis-secret-init', ...given }));
  await step();
}

function step(): Promise<void> {
  return runner.step([...cluster.pods.values()]);
}

function phase(): string | undefined {
  return cluster.pods.get('job')?.status?.phase;
}
