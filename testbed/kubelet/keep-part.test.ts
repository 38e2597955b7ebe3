import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { down } from '../cluster/down.ts';
import { isRunning } from '../cluster/processes.ts';
import { type SleepyHome, sleepyHome } from '../cluster/sleepy-home.fixture.ts';
import { type TestbedState, writeState } from '../cluster/state.ts';
import { type FakeCluster, fakeCluster } from './fake-cluster.fixture.ts';
import { createKeeper, type Keeper } from './keep-part.ts';
import type { StayingPart } from './parts.ts';
import { type PodOf, podOf } from './pod.fixture.ts';
import type { Pod } from './pod.ts';
import { readRecord } from './record.ts';

let sleepy: SleepyHome;
let state: TestbedState;
let cluster: FakeCluster;
let keeper: Keeper;

beforeEach(async () => {
  sleepy = sleepyHome();
  state = { ...(await sleepy.testbed('mine')), empty: true };
  writeState(state);
  cluster = fakeCluster(state);
  keeper = createKeeper(cluster.world, part());
});

afterEach(async () => {
  await down(sleepy.home, 'mine', { forget: false });
  await sleepy.close();
});

describe('a part of Argo', () => {
  it('gets the environment of its pod beneath what a host needs, and its pod is Ready when it answers', async () => {
    cluster.held.set('configmaps/params', { level: 'debug' });
    const fromParams = { configMapKeyRef: { name: 'params', key: 'level' } };
    const env = [
      { name: 'LEVEL', valueFrom: fromParams },
      { name: 'KUBECONFIG', value: '/in/the/pod' },
    ];
    put('one', { container: server('env=$(LEVEL)', env) });
    await stepsUntil(() => isReady('one'));
    expect(said()).toContain(`env=debug LEVEL=debug KUBECONFIG=${state.folder}/kubelet/part.kubeconfig --last\n`);
  });

  it('has no Ready pod before it answers, and keeps others waiting for that only for a while', async () => {
    put('one', { container: { args: ['node', '-e', 'setTimeout(() => {}, 1e6)', '--'] } });
    for (let pass = 0; pass < 3; pass += 1) await step();
    expect([isReady('one'), status('one')?.phase, keeper.busyWith()]).toEqual([false, 'Running', 'part is not ready']);
    cluster.later(60_000);
    await step();
    expect(keeper.busyWith()).toBeUndefined();
  });

  it('waits, and says for what, until its settings are there', async () => {
    const env = [{ name: 'X', valueFrom: { secretKeyRef: { name: 'argocd-redis', key: 'auth' } } }];
    put('one', { container: server('here', env) });
    await step();
    expect(status('one')?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'CreateContainerConfigError',
      message: 'secret "argocd-redis" not found',
    });
    cluster.held.set('secrets/argocd-redis', { auth: 'geheim' });
    await stepsUntil(() => isReady('one'));
  });

  it('waits also for the ServiceAccount whose rights it is to have', async () => {
    put('one', { container: server('here'), spec: { serviceAccountName: 'nobody' } });
    await step();
    expect(status('one')?.containerStatuses?.[0]?.state?.waiting?.message).toContain('serviceaccount "nobody"');
  });

  it('makes room for a newer template, and comes back when that one goes', async () => {
    put('old', { age: 9, container: server('old') });
    await stepsUntil(() => isReady('old'));
    const before = running();
    put('new', { age: 1, template: 'two', container: server('new') });
    await stepsUntil(() => isReady('new'));
    expect([isReady('old'), before.map(isRunning), running().length]).toEqual([false, [false], 1]);
    leave('new');
    await stepsUntil(() => isReady('old'));
    expect(cluster.pods.has('new')).toBe(false);
    expect(said()).toMatch(/old(.|\n)*new(.|\n)*old/);
  });

  it('ends with its pod, which is gone only then', async () => {
    put('one', { container: server('here') });
    await stepsUntil(() => isReady('one'));
    const before = running();
    leave('one');
    await step();
    expect([before.map(isRunning), cluster.pods.size, readRecord(state.folder)]).toEqual([[false], 0, {}]);
  });

  it('is started again when it ends, after a rest, and its pod tells how often and with which words', async () => {
    put('one', { container: { args: ['node', '-e', 'console.log("no such flag"); process.exit(1)', '--'] } });
    await stepsUntil(() => status('one')?.containerStatuses?.[0]?.restartCount === 1);
    expect(status('one')?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'CrashLoopBackOff',
      message: 'no such flag',
    });
    await step();
    expect(running()).toEqual([]);
    cluster.later(10_000);
    await stepsUntil(() => status('one')?.containerStatuses?.[0]?.restartCount === 2);
  });

  it('goes on as it is when whoever keeps it was killed and is there again', async () => {
    put('one', { container: server('here') });
    await stepsUntil(() => isReady('one'));
    const before = running();
    keeper = createKeeper(cluster.world, part());
    await stepsUntil(() => isReady('one'));
    expect(running()).toEqual(before);
  });

  it('has a token of its ServiceAccount that nobody else may read, and a new one in time', async () => {
    put('one', { container: server('here') });
    await stepsUntil(() => isReady('one'));
    const file = join(state.folder, 'kubelet/part.token');
    expect([cluster.tokens, readFileSync(file, 'utf8')]).toEqual([['server'], 'token-1']);
    for (const name of [file, join(state.folder, 'kubelet/part.kubeconfig')])
      expect(statSync(name).mode & 0o777).toBe(0o600);
    cluster.later(31 * 60_000);
    await step();
    expect([cluster.tokens, readFileSync(file, 'utf8')]).toEqual([['server', 'server'], 'token-2']);
  });

  it('is never Ready when its pod says so', async () => {
    put('one', { container: server('here'), annotations: { 'testbed.tiphys.dev/ready-after': 'never' } });
    await stepsUntil(() => said().includes('here'));
    await step();
    expect(isReady('one')).toBe(false);
  });
});

function part(): StayingPart {
  return {
    kind: 'stays',
    name: 'part',
    label: 'argocd/server',
    program: process.execPath,
    needsAccess: true,
    host: ({ kubeconfig }) => ({
      args: ['--last'],
      env: { KUBECONFIG: kubeconfig },
      ready: { port: state.ports.argocdServer },
    }),
  };
}

/** Says what it was given, and answers on the part's port. */
function server(word: string, env: NonNullable<Pod['spec']['containers'][0]['env']> = []) {
  const script = `const { LEVEL, KUBECONFIG } = process.env;
    console.log(process.argv[1], 'LEVEL=' + LEVEL, 'KUBECONFIG=' + KUBECONFIG, process.argv[2]);
    require('node:net').createServer().listen(${state.ports.argocdServer}, '127.0.0.1')`;
  return { args: ['node', '-e', script, '--', word], env };
}

function put(name: string, given: PodOf): void {
  cluster.pods.set(name, podOf(name, given));
}

function leave(name: string): void {
  const pod = cluster.pods.get(name);
  if (pod !== undefined) cluster.pods.set(name, { ...pod, metadata: { ...pod.metadata, deletionTimestamp: 'now' } });
}

function step(): Promise<void> {
  return keeper.step([...cluster.pods.values()]);
}

async function stepsUntil(condition: () => boolean): Promise<void> {
  await expect
    .poll(
      async () => {
        await step();
        return condition();
      },
      { timeout: 10_000, interval: 50 },
    )
    .toBe(true);
}

function status(name: string): Pod['status'] {
  return cluster.pods.get(name)?.status;
}

function isReady(name: string): boolean {
  return status(name)?.conditions?.some(({ type, status: word }) => type === 'Ready' && word === 'True') === true;
}

function running() {
  return Object.values(readRecord(state.folder)).flatMap(({ process: started }) =>
    started !== undefined && isRunning(started) ? [started] : [],
  );
}

function said(): string {
  return readFileSync(join(state.folder, 'log/part.log'), 'utf8');
}
