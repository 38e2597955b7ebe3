import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { paths } from '../../src/sandbox/world/applications.ts';
import { type Bench, bench, deployOn, platformOf } from '../harness.ts';
import { admin } from './look.ts';

/** What comes first by the waves needs what comes last: waves that people have given their Applications are no order of ours (R5.6). */
const dag = `
apiVersion: tiphys.dev/v1
kind: Platform
name: acme
root: acme-root
stacks:
  early: { application: acme-early, apps: { a: { needs: [b] }, b: {} } }
  middle: { application: acme-middle, apps: { c: { needs: [d] } } }
  late: { application: acme-late, apps: { d: {} } }
  longest: { application: acme-longest, apps: { e: { type: ceph } } }
`;

const waves: Readonly<Record<string, string>> = {
  ...{ 'acme-early': '-30', 'acme-middle': '0', 'acme-late': '50' },
  ...{ a: '-1', b: '1' },
};

describe('children of one parent in several sync waves', () => {
  it('are made wave by wave, so that Argo CD does not wait for a child that is held until the next may appear', async () => {
    const on = bench(platformOf(dag));
    await installCheckForApplications(on);
    for (const path of [paths.root, paths.stack('early')]) putInWaves(on, path);
    const { run, events } = await deployOn(on);
    const failed = events.filter(({ type }) => type === 'node-failed' || type === 'node-retrying');
    expect([run.outcome, failed]).toEqual(['success', []]);
    const asked = events.filter((event) => event.type === 'operation-progress');
    expect(asked.filter(({ message }) => message.includes('argoproj.io/Application/'))).toEqual([]);
    on.close();
  });
});

/** With it, an operation in several waves waits for the health of each child before it goes on. */
async function installCheckForApplications(on: Bench): Promise<void> {
  const data = { 'resource.customizations.health.argoproj.io_Application': 'the script of the manual' };
  const { status } = await admin(on, 'PATCH', '/api/v1/namespaces/argocd/configmaps/argocd-cm', { data });
  expect(status).toBe(200);
}

function putInWaves({ sandbox: { world } }: Bench, path: string): void {
  const content = world.git.read(path, world.git.head);
  if ('error' in content) throw new Error(content.error);
  world.git.commit(new Map([[path, content.objects.map(inItsWave)]]));
}

function inItsWave(object: KubeObject): KubeObject {
  const wave = waves[object.metadata.name];
  if (wave === undefined) return object;
  return { ...object, metadata: { ...object.metadata, annotations: { 'argocd.argoproj.io/sync-wave': wave } } };
}
