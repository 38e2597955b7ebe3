import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubeconfigOf } from '../../testbed/cluster/kubeconfigs.ts';
import { type Looked, preflight } from './preflight-runner.ts';
import { kubeconfigFor, userOf } from './roles.ts';
import { freshTestbed, type RealBed } from './testbed.ts';

let bed: RealBed;
let folder: string;

beforeAll(async () => {
  bed = await freshTestbed('real-preflight');
  folder = mkdtempSync(join(tmpdir(), 'tiphys-preflight-real-'));
  cpSync('platforms/hello', folder, { recursive: true });
  const file = join(folder, 'environment.yaml');
  // Nothing outside is asked: there may be no way there.
  writeFileSync(file, `${readFileSync(file, 'utf8')}preflight: { registries: ["http://127.0.0.1:1"] }\n`);
}, 400_000);

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bed?.close();
});

describe('preflight on a real API server', () => {
  it('sees an administrator’s cluster as it is, and writes nothing (R3.4, R3.5)', async () => {
    const since = Date.now();
    const { report, check, about } = await look(kubeconfigOf(bed.state, 'admin'));
    expect(check('api-server')).toMatchObject({ verdict: 'pass' });
    expect(check('kubeconfig')).toMatchObject({ verdict: 'pass' });
    expect(about('everything')).toMatchObject({ verdict: 'pass' });
    expect(check('nodes')).toMatchObject({ verdict: 'pass' });
    expect(report.inventory.nodes.length).toBeGreaterThan(0);
    expect(report.inventory.definitions).toContain('applications.argoproj.io');
    expect(report.snapshot).toMatchObject({
      unread: [],
      objects: expect.arrayContaining(['Namespace argocd', 'AppProject.argoproj.io argocd/default']),
    });
    expect(await written(since, 'testbed-admin')).toEqual([]);
  });

  it('names what a ServiceAccount that only looks may not do, and what it could not see, and writes nothing', async () => {
    const since = Date.now();
    const { exitCode, check, about } = await look(kubeconfigFor(bed.state, 'validate'));
    expect(exitCode).not.toBe(0);
    expect(about('kubeconfig')?.saw).toBe(`accepted as ${userOf('validate')}`);
    expect(check('permissions')?.verdict).toBe('fail');
    expect(about('namespaces')?.fix).toContain('--serviceaccount=argocd:tiphys-validate');
    expect(about('Nodes')).toMatchObject({ looked: false, saw: expect.stringContaining('nodes is forbidden') });
    expect(await written(since, userOf('validate'))).toEqual([]);
  });
});

/** What this user has written; a review asks and stores nothing, but proves that the log knows the user. */
async function written(since: number, who: string) {
  const asked = (await bed.audit(since)).filter(({ user }) => user === who);
  expect(asked.length).toBeGreaterThan(0);
  return asked.filter(({ resource }) => !resource.endsWith('reviews'));
}

function look(kubeconfig: string): Promise<Looked> {
  const repository = `file://${join(bed.state.folder, 'repo')}`;
  return preflight(bed.program, [folder, '--kubeconfig', kubeconfig, '--git-repository', repository]);
}
