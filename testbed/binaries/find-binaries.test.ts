import { execFileSync } from 'node:child_process';
import { readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeWorld, installGo, prebuilt } from './fake-world.fixture.ts';

describe('programs that somebody else has built', () => {
  it('are handed out under their own names, without writing into their folder', async () => {
    const world = await worldWithFolder();
    const before = readdirSync(`${world.home}/given`);

    const binaries = await world.find();

    expect(readdirSync(`${world.home}/given`)).toEqual(before);
    expect(ask(binaries.path('kube-apiserver'), '--version')).toBe('Kubernetes v1.34.11\n');
    expect(ask(join(binaries.folder, 'workflow-controller'), 'version')).toContain('4.1.4');
    expect(await world.find()).toMatchObject({ folder: binaries.folder });
  });

  it('are those of the wanted line of Argo CD when two lie side by side', async () => {
    const world = await worldWithFolder();

    const [newer, older] = [await world.find('3.5'), await world.find('3.4')];

    expect(realpathSync(newer.path('argocd-server'))).toBe(`${world.home}/given/argocd-3.5.3`);
    expect(realpathSync(older.path('argocd-server'))).toBe(`${world.home}/given/argocd`);
  });

  it('are refused with file, found and wanted version when one is another version', async () => {
    const world = await worldWithFolder({ etcd: '3.5.9' });

    await expect(world.find()).rejects.toThrow(`${world.home}/given/etcd: found 3.5.9, wanted etcd 3.6.14`);
  });

  it('are refused when the wanted line of Argo CD is not among them', async () => {
    const world = await worldWithFolder();
    rmSync(`${world.home}/given/argocd-3.5.3`);

    await expect(world.find()).rejects.toThrow('/given/argocd: found 3.4.6, wanted argocd-3.5 3.5.3');
  });

  it('are all named when they are missing, not only the first', async () => {
    const world = await worldWithFolder();
    rmSync(`${world.home}/given/kwok`);
    rmSync(`${world.home}/given/helm`);

    await expect(world.find()).rejects.toThrow(/lacks kwok \(0\.8\.0\), helm \(3\.21\.4\)$/);
  });

  it('have kubectl stand in for a missing kustomize', async () => {
    const world = await worldWithFolder();

    const { folder } = await world.find();

    expect(ask(`${folder}/kustomize`, 'build', 'a folder', '--enable-helm')).toBe(
      'kubectl was asked: kustomize a folder --enable-helm\n',
    );
    expect(ask(`${folder}/kustomize`, 'version', '--short')).toBe('v5.7.1\n');
    expect(() => ask(`${folder}/kustomize`, 'edit', 'set', 'image')).toThrow(/put kustomize 5\.8\.1 into/);
  });
});

describe('programs that we build', () => {
  it('are built once, telling name, seconds and size, and taken from the cache afterwards', async () => {
    const world = await fakeWorld();
    await installGo(world);

    const first = await world.find();
    const told = [...world.reported];
    const builds = (await world.goCalls()).filter(isBuild);
    const second = await world.find();

    expect(builds).toHaveLength(7);
    expect((await world.goCalls()).filter(isBuild)).toEqual(builds);
    expect(second.folder).toBe(first.folder);
    expect(told).toContainEqual(expect.stringMatching(/^kube: built in \d+ s, \d+ MB$/));
    expect(world.reported).toEqual(told);
    expect(ask(first.path('etcd'), '--version')).toContain('3.6.14');
    expect(realpathSync(`${first.folder}/kustomize`)).toMatch(
      /\/bin\/kustomize-[0-9a-f]{16}-go1\.26\.8-linux-amd64\/kustomize$/,
    );
  });

  it('need no Go any more once they are in the cache', async () => {
    const world = await fakeWorld();
    await installGo(world);
    const { folder } = await world.find();
    rmSync(`${world.home}/tools/go`);

    expect(await world.find()).toMatchObject({ folder });
  });

  it('are built again by another Go', async () => {
    const world = await fakeWorld();
    await installGo(world);
    const { folder } = await world.find();
    await installGo(world, { version: 'go1.27.0' });

    expect((await world.find()).folder).not.toBe(folder);
  });

  it('say which Go is needed, where it is, and what else would do, when Go is missing', async () => {
    const world = await fakeWorld();

    await expect(world.find()).rejects.toMatchObject({
      message: 'Go is missing; it is needed once, to build the programs of the testbed',
      hint: 'install Go 1.26.5 or newer from https://go.dev/dl/ and put its bin folder into PATH, or set TIPHYS_TESTBED_BIN to a folder that holds the binaries',
    });
  });

  it('say so when Go is too old', async () => {
    const world = await fakeWorld();
    await installGo(world, { version: 'go1.26.4' });

    await expect(world.find()).rejects.toThrow(
      'Go 1.26.5 is needed to build the programs of the testbed, and this is go1.26.4',
    );
  });

  it('are built once by two that start at the same time, and both get them', async () => {
    const world = await fakeWorld();
    await installGo(world);

    const [one, other] = await Promise.all([world.find(), world.find()]);

    expect((await world.goCalls()).filter(isBuild)).toHaveLength(7);
    expect(one.folder).toBe(other.folder);
    expect(world.reported).toContainEqual(expect.stringMatching(/: another process builds it, waiting$/));
    expect(readdirSync(`${world.home}/.cache/tiphys/testbed/bin`)).toHaveLength(7);
  });

  it('are not kept when they turn out to be another version', async () => {
    const world = await fakeWorld();
    await installGo(world, { argocd: '3.5.2' });

    await expect(world.find()).rejects.toThrow('found 3.5.2, wanted argocd-3.5 3.5.3');

    const kept = readdirSync(`${world.home}/.cache/tiphys/testbed/bin`);
    expect(kept).toEqual([expect.stringMatching(/^kube-/)]);
  });
});

function isBuild(call: string): boolean {
  return call.startsWith('build ');
}

function ask(file: string, ...args: string[]): string {
  return execFileSync(file, args, { encoding: 'utf8', stdio: 'pipe' });
}

async function worldWithFolder(others: { etcd?: string } = {}) {
  const { home } = await fakeWorld();
  const world = await fakeWorld({ TIPHYS_TESTBED_BIN: await prebuilt(`${home}/given`, others) });
  return { ...world, home };
}
