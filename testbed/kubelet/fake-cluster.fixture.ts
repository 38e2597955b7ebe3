import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import { ApiError } from '../../src/adapters/kubernetes/errors.ts';
import type { TestbedState } from '../cluster/state.ts';
import type { Pod, PodStatus } from './pod.ts';
import type { KubeletRecord, PartRecord } from './record.ts';
import { readRecord, writeRecord } from './record.ts';
import type { KubeletWorld } from './world.ts';

/** As much of a cluster as the part of the kubelet sees: pods, ConfigMaps, Secrets, tokens. */
export interface FakeCluster {
  readonly world: KubeletWorld;
  readonly pods: Map<string, Pod>;
  /** By `configmaps/name` or `secrets/name`. */
  readonly held: Map<string, Record<string, string>>;
  /** ServiceAccounts whose tokens were given out, in order. */
  readonly tokens: string[];
  readonly trouble: string[];
  /** Lets time pass. */
  later(ms: number): void;
}

export function fakeCluster(testbed: TestbedState): FakeCluster {
  mkdirSync(join(testbed.folder, 'pki'), { recursive: true });
  writeFileSync(join(testbed.folder, 'pki/ca.crt'), '');
  const [pods, held, tokens, trouble] = [new Map<string, Pod>(), new Map<string, Record<string, string>>(), [], []] as [
    FakeCluster['pods'],
    FakeCluster['held'],
    string[],
    string[],
  ];
  let passedMs = 0;
  const client: Partial<KubeClient> = {
    get: async <T>(path: string) => heldAt(held, path) as T | undefined,
    create: async <T>(path: string) => {
      const account = path.split('/').at(-2) ?? '';
      if (account === 'nobody') throw new ApiError({ message: 'not found', status: 404, method: 'POST', path });
      tokens.push(account);
      return { status: { token: `token-${tokens.length}` } } as T;
    },
    mergePatch: async <T>(path: string, body: object) => {
      patch(pods, path, (body as { status: PodStatus }).status);
      return {} as T;
    },
    delete: async (path: string) => {
      pods.delete(path.split('/').at(-1) ?? '');
      return undefined;
    },
  };
  const world: KubeletWorld = {
    testbed,
    // What is not there is not used.
    client: client as KubeClient,
    clock: { now: () => Date.now() + passedMs, sleep: async () => undefined },
    env: { PATH: process.env['PATH'] ?? '' },
    onTrouble: (sentence) => void trouble.push(sentence),
    ...memoryIn(testbed.folder),
  };
  const later = (ms: number): void => {
    passedMs += ms;
  };
  return { world, pods, held, tokens, trouble, later };
}

function memoryIn(folder: string): Pick<KubeletWorld, 'remembered' | 'remember'> {
  return {
    remembered: (part) => readRecord(folder)[part],
    remember(part: string, known: PartRecord | undefined) {
      const { [part]: _before, ...others } = readRecord(folder);
      const record: KubeletRecord = known === undefined ? others : { ...others, [part]: known };
      writeRecord(folder, record);
    },
  };
}

function heldAt(held: FakeCluster['held'], path: string): object | undefined {
  const [kind = '', name = ''] = path.split('/').slice(-2);
  const data = held.get(`${kind}/${name}`);
  if (data === undefined || kind === 'configmaps') return data && { data };
  const coded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return { data: Object.fromEntries(coded) };
}

function patch(pods: FakeCluster['pods'], path: string, status: PodStatus): void {
  const name = path.split('/').at(-2) ?? '';
  const pod = pods.get(name);
  if (pod === undefined) throw new ApiError({ message: 'no such pod', status: 404, method: 'PATCH', path });
  pods.set(name, { ...pod, status: { ...pod.status, ...status } });
}
