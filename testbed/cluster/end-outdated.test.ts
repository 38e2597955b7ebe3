import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endOutdated } from './end-outdated.ts';
import { etcdPki } from './pki.ts';
import { isRunning } from './processes.ts';
import { type SleepyHome, sleepyHome } from './sleepy-home.fixture.ts';

let sleepy: SleepyHome;

beforeEach(() => {
  sleepy = sleepyHome();
});

afterEach(() => sleepy.close());

it('ends the one that reads a setting only when it starts, says why, and leaves the others alone', async () => {
  const before = await sleepy.testbed('mine', ['etcd', 'argocd-application-controller', 'workflow-controller']);
  mkdirSync(etcdPki(before.folder));
  const said: string[] = [];
  await endOutdated(before, { ...before, requeue: '1s' }, (line) => said.push(line));
  expect(Object.values(before.processes).map(isRunning)).toEqual([true, true, false]);
  await endOutdated(before, { ...before, reconciliation: '10s' }, (line) => said.push(line));
  expect(Object.values(before.processes).map(isRunning)).toEqual([true, false, false]);
  expect(said).toEqual([
    'workflow-controller starts again, because --requeue is 1s now and was 100ms',
    'argocd-application-controller starts again, because --reconciliation is 10s now and was 120s',
  ]);
});

it('ends nothing when nothing else is wished for, or nothing runs', async () => {
  const before = await sleepy.testbed('mine', ['workflow-controller']);
  const said: string[] = [];
  await endOutdated(before, before, (line) => said.push(line));
  await endOutdated(undefined, { ...before, requeue: '1s' }, (line) => said.push(line));
  await endOutdated(before, { ...before, processes: {}, requeue: '1s' }, (line) => said.push(line));
  expect([Object.values(before.processes).map(isRunning), said]).toEqual([[true], []]);
});

it('ends an etcd that speaks without TLS, and the API server that talks to it', async () => {
  const older = await sleepy.testbed('mine', ['etcd', 'kube-apiserver', 'kwok']);
  const said: string[] = [];
  await endOutdated(older, older, (line) => said.push(line));
  expect(Object.values(older.processes).map(isRunning)).toEqual([false, false, true]);
  expect(said).toEqual([
    'kube-apiserver starts again, because API server and etcd speak TLS now and did not',
    'etcd starts again, because API server and etcd speak TLS now and did not',
  ]);
});
