import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type FakeWorld, fakeWorld, installGo } from './fake-world.fixture.ts';
import { findAssets } from './find-assets.ts';

it('copies what is needed out of the sources, and needs no Go the second time', async () => {
  const world = await worldWithSources();

  const assets = await findAssets(world.wanted('3.5'));
  rmSync(`${world.home}/tools/go`);
  rmSync(`${world.home}/sources`, { recursive: true });

  expect(await findAssets(world.wanted('3.5'))).toEqual(assets);
  expect(readFileSync(`${assets.argocdCrds}/appproject-crd.yaml`, 'utf8')).toBe('manifests/crds/appproject-crd.yaml');
  expect(readFileSync(`${assets.kwokStages}/../pod/fast/stage.yaml`, 'utf8')).toContain('pod/fast');
  expect(readFileSync(`${assets.workflowsCrds}/kustomization.yaml`, 'utf8')).toContain('minimal');
  expect(statSync(assets.gitVerifyWrapper ?? '').mode & 0o777).toBe(0o755);
});

it('has no script to verify commits for the older Argo CD, which calls none', async () => {
  const world = await worldWithSources();

  expect((await findAssets(world.wanted('3.4'))).gitVerifyWrapper).toBeUndefined();
});

it('leaves nothing in the cache when a file is not where it should be', async () => {
  const world = await worldWithSources();
  rmSync(`${world.home}/sources/manifests/crds/appproject-crd.yaml`);

  await expect(findAssets(world.wanted())).rejects.toThrow('appproject-crd.yaml');
  await expect(findAssets(world.wanted())).rejects.toThrow('appproject-crd.yaml');
});

it('says what Go is needed for when it is missing', async () => {
  const world = await fakeWorld();

  await expect(findAssets(world.wanted())).rejects.toThrow(
    'Go is missing; it is needed once, to fetch the files of argocd-3.5.3, kwok-0.8.0, workflows-4.1.4',
  );
});

/** One folder plays the sources of all three modules. */
async function worldWithSources(): Promise<FakeWorld> {
  const world = await fakeWorld();
  await installGo(world);
  const files = [
    ...['application', 'appproject', 'applicationset'].map((kind) => `manifests/crds/${kind}-crd.yaml`),
    'hack/git-verify-wrapper.sh',
    'kustomize/stage/fast/kustomization.yaml',
    'kustomize/stage/pod/fast/stage.yaml',
    'manifests/base/crds/minimal/kustomization.yaml',
  ];
  for (const file of files) {
    const path = join(world.home, 'sources', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file, { mode: 0o444 });
  }
  writeFileSync(`${world.home}/download.json`, JSON.stringify({ Dir: `${world.home}/sources` }));
  return world;
}
