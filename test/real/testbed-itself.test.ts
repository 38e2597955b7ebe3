import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { etcdPki } from '../../testbed/cluster/pki.ts';
import { probe } from '../../testbed/cluster/probe.ts';
import { isRunning } from '../../testbed/cluster/processes.ts';
import { readState, type TestbedState, testbedHome } from '../../testbed/cluster/state.ts';
import { openTestbed } from '../../testbed/world/open-testbed.ts';
import { writeRepository } from '../../testbed/world/write-repository.ts';
import { eventually } from './waiting.ts';

const name = 'real-itself';
const neighbour = 'real-itself-too';
const components = [
  ...['etcd', 'kube-apiserver', 'fakes', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'redis'],
  ...['argocd-repo-server', 'argocd-application-controller', 'argocd-applicationset-controller', 'argocd-server'],
  'workflow-controller',
];
/** Each of them once, and never together with what it cannot do without. */
const losses = [
  ['etcd'],
  ['kube-apiserver'],
  ['fakes', 'kube-controller-manager', 'argocd-repo-server'],
  ['kube-scheduler', 'redis', 'argocd-server'],
  ['kwok', 'argocd-application-controller'],
  ['argocd-applicationset-controller', 'workflow-controller'],
];
const patience = 300_000;

beforeAll(async () => {
  for (const one of [name, neighbour]) await testbed('down', one, '--delete');
});

afterAll(async () => {
  for (const one of [name, neighbour]) await testbed('down', one, '--delete');
});

describe('a testbed', () => {
  it(
    'comes up beside another one that comes up at the same moment, each with its own ports',
    async () => {
      const said = await Promise.all([testbed('up', name), testbed('up', neighbour)]);
      console.log(said.map((words) => words.split('\n')[0]).join('\n'));
      for (const words of said) {
        const [, seconds] = /up in ([\d.]+) s \(started 12 processes\)/.exec(words) ?? [];
        // A minute for one alone; these are two, beside other suites.
        expect(Number(seconds), words).toBeLessThan(120);
      }
      expect(Object.keys(known(name).processes).sort()).toEqual([...components].sort());
      const ports = [name, neighbour].flatMap((one) => Object.values(known(one).ports));
      expect(new Set(ports).size).toBe(ports.length);
      for (const one of [name, neighbour]) expect(await nodesOf(known(one))).toHaveLength(3);
    },
    patience,
  );

  it(
    'is left alone by an up when it is up: not one process is started or ended',
    async () => {
      const before = known(name);
      expect(await testbed('up', name)).toContain('was up already');
      expect(known(name)).toEqual(before);
      expect(notRunning()).toEqual([]);
    },
    patience,
  );

  it(
    'loses none of its processes when the one beside it goes down',
    async () => {
      const { folder } = known(neighbour);
      expect(await testbed('down', neighbour)).toContain('ended etcd');
      expect(processesIn(folder)).toEqual([]);
      expect(notRunning()).toEqual([]);
      expect(await nodesOf(known(name))).toHaveLength(3);
    },
    patience,
  );

  it('has an etcd that talks to its own authority’s clients alone: not in plain words, to nobody unknown, to no administrator', async () => {
    const { folder, ports } = known(name);
    const own = etcdPki(folder);
    const ask = (scheme: string, authority: string, client?: string) => {
      const files = { authority: `${authority}/ca.crt`, certificate: `${client}.crt`, key: `${client}.key` };
      const url = `${scheme}://127.0.0.1:${ports.etcd}/health`;
      return probe(client === undefined ? { url } : { url, client: files }, files.authority);
    };
    expect(await ask('https', own, join(own, 'client'))).toBe('ready');
    expect(await ask('http', own)).toEqual({ because: expect.stringContaining('socket hang up') });
    expect(await ask('https', own)).toEqual({ because: expect.stringContaining('certificate required') });
    expect(await ask('https', own, join(folder, 'pki/admin'))).toEqual({
      because: expect.stringContaining('unknown ca'),
    });
    expect(await ask('https', join(folder, 'pki'))).toEqual({ because: expect.stringContaining('unable to verify') });
  });

  it('loses everything once below', () => {
    expect(losses.flat().sort()).toEqual([...components].sort());
  });

  it.each(losses.map((lost) => [lost.join(', '), lost] as const))(
    'is healed by the next up when its %s was killed, and nothing else is started',
    async (_names, lost) => {
      const before = known(name).processes;
      await kill(lost);
      await testbed('up', name);
      const changed = Object.entries(known(name).processes).filter(([one, { pid }]) => before[one]?.pid !== pid);
      expect(changed.map(([one]) => one).sort()).toEqual([...lost].sort());
      expect(notRunning()).toEqual([]);
    },
    patience,
  );

  it(
    'is healed when all of it was killed at once, and still works: Argo CD compares an Application with Git',
    async () => {
      await kill(components);
      await testbed('up', name);
      expect(await comparedApplication(known(name))).toBe('OutOfSync');
    },
    patience,
  );

  it(
    'is healed when up itself was killed halfway, and down then ends all of it',
    async () => {
      const { folder } = known(name);
      await testbed('down', name);
      for (const count of [1, 4]) {
        const started = spawn(process.execPath, ['testbed/run.mjs', 'up', '--name', name], { stdio: 'ignore' });
        await eventually(`up has started ${count} processes`, async () => running().length >= count);
        await killed(started);
      }
      await testbed('up', name);
      expect(notRunning()).toEqual([]);
      expect(processesIn(folder)).toHaveLength(components.length);
      await testbed('down', name);
      expect(processesIn(folder)).toEqual([]);
    },
    patience,
  );
});

/** What a command says. */
async function testbed(command: 'up' | 'down', one: string, ...more: readonly string[]): Promise<string> {
  const words = ['testbed/run.mjs', command, '--name', one, ...more];
  return (await promisify(execFile)(process.execPath, words)).stderr;
}

function known(one: string): TestbedState {
  const state = readState(testbedHome(process.env), one);
  if (state === undefined) throw new Error(`there is no testbed ${one}`);
  return state;
}

function running(): string[] {
  const { processes } = known(name);
  return Object.keys(processes).filter((one) => !notRunning().includes(one));
}

function notRunning(): string[] {
  return Object.entries(known(name).processes)
    .filter(([, started]) => !isRunning(started))
    .map(([component]) => component);
}

async function kill(victims: readonly string[]): Promise<void> {
  for (const victim of victims) {
    const started = known(name).processes[victim];
    if (started === undefined) throw new Error(`${victim} was never started`);
    process.kill(started.pid, 'SIGKILL');
  }
  await eventually(`${victims} are gone`, async () => victims.every((one) => notRunning().includes(one)));
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** Every process, recorded or not, that works in this folder. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && folderOf(pid) === folder);
}

/** Undefined for a process that is just ending, and for a stranger's. */
function folderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

async function nodesOf(state: TestbedState): Promise<readonly unknown[]> {
  const { client, close } = await openTestbed(state);
  try {
    return (await client.list('/api/v1/nodes')).items;
  } finally {
    close();
  }
}

async function comparedApplication(state: TestbedState): Promise<string> {
  const repository = join(state.folder, 'repo');
  const file = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: alive }\n';
  await writeRepository(repository, { files: new Map([['alive/one.yaml', file]]), branches: ['main'] });
  const { client, close } = await openTestbed(state);
  const path = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications';
  try {
    await client.create(path, application(repository));
    return await eventually('Argo CD has compared it', async () => {
      const found = await client.get<{ status?: { sync?: { status?: string } } }>(`${path}/alive`);
      return found?.status?.sync?.status;
    });
  } finally {
    close();
  }
}

function application(repository: string): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'alive', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: `file://${repository}`, path: 'alive', targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    },
  };
}
