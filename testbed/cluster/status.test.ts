import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeRecord } from '../kubelet/record.ts';
import { endProcess } from './processes.ts';
import { type SleepyHome, sleepyHome } from './sleepy-home.fixture.ts';
import { writeState } from './state.ts';
import { describeTestbeds } from './status.ts';

let sleepy: SleepyHome;

beforeEach(() => {
  sleepy = sleepyHome();
});

afterEach(() => sleepy.close());

it('says of every testbed whether it is up, broken or down, and of every process whether it runs', async () => {
  const mine = await sleepy.testbed('mine', ['etcd', 'kwok']);
  writeState(mine);
  writeState(await sleepy.testbed('yours'));
  const { etcd, kwok } = mine.processes;
  expect(describeTestbeds(sleepy.home, undefined)).toEqual([
    `mine: up · Argo CD 3.5 · https://127.0.0.1:${mine.ports.api} · ${mine.folder}`,
    `  etcd                                      running, pid ${etcd?.pid}`,
    `  kwok                                      running, pid ${kwok?.pid}`,
    expect.stringMatching(/^yours: down /),
  ]);
  if (etcd !== undefined) await endProcess(etcd, 0);
  expect(describeTestbeds(sleepy.home, 'mine').slice(0, 2)).toEqual([
    expect.stringMatching(/^mine: broken: up again heals it /),
    '  etcd                                      not running',
  ]);
});

it('says of an empty one that it is, and lists what the part of the kubelet runs', async () => {
  const mine = await sleepy.testbed('mine', ['kubelet-part']);
  writeState({ ...mine, empty: true });
  writeRecord(mine.folder, {
    redis: { pod: 'uid', restarts: 0, process: await sleepy.sleeper() },
    'argocd-server': { pod: 'uid', restarts: 3 },
  });
  expect(describeTestbeds(sleepy.home, 'mine')).toEqual([
    expect.stringMatching(/^mine: up · empty, for charts of Argo CD 3\.5 · /),
    expect.stringMatching(/^ {2}kubelet-part +running/),
    expect.stringMatching(/^ {2}kubelet\/redis +running/),
  ]);
});

it('says how to make one when there is none, and names one that is asked for in vain', () => {
  expect(describeTestbeds(sleepy.home, undefined)).toEqual(['no testbed: npm run testbed -- up makes one']);
  expect(describeTestbeds(sleepy.home, 'other')).toEqual(['other: none']);
});
