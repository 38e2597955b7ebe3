import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asShell, exportsOf } from './exports.ts';
import { type SleepyHome, sleepyHome } from './sleepy-home.fixture.ts';

let sleepy: SleepyHome;

beforeEach(() => {
  sleepy = sleepyHome();
});

afterEach(() => sleepy.close());

it('names the kubeconfig first, then everything else a test needs', async () => {
  const testbed = await sleepy.testbed('mine');
  const [first, ...others] = exportsOf(testbed);
  expect(first).toEqual(['KUBECONFIG', `${testbed.folder}/kubeconfig`]);
  expect(others.map(([name]) => name)).toEqual([
    ...['TIPHYS_TESTBED', 'TIPHYS_TESTBED_FOLDER', 'GIT_URL', 'AUDIT_LOG', 'ARGOCD_SERVER'],
  ]);
});

it('names the charts that an empty testbed has for whoever fills it', async () => {
  const testbed = { ...(await sleepy.testbed('mine')), charts: '/cache/charts' };
  expect(exportsOf(testbed).at(-1)).toEqual(['CHARTS', '/cache/charts']);
});

it('writes what a shell reads back unchanged, whatever stands in a path', () => {
  const folder = `/home/o'neill/$HOME and "more"`;
  const script = `${asShell([['KUBECONFIG', folder]])}printf %s "$KUBECONFIG"`;
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(folder);
});
