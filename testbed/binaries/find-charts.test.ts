import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type FakeWorld, fakeWorld, installGo } from './fake-world.fixture.ts';
import { findCharts } from './find-charts.ts';

it('copies the charts out of their sources, and needs no Go the second time', async () => {
  const world = await worldWithCharts();

  const charts = await findCharts(world.wanted());
  rmSync(`${world.home}/tools/go`);
  rmSync(`${world.home}/sources`, { recursive: true });

  expect(await findCharts(world.wanted())).toBe(charts);
  for (const chart of ['argo-cd', 'argo-workflows', 'argo-events', 'sealed-secrets']) {
    expect(readFileSync(`${charts}/${chart}/Chart.yaml`, 'utf8')).toContain(`name: ${chart}\n`);
    expect(existsSync(`${charts}/${chart}/templates/one.yaml`)).toBe(true);
  }
});

it('leaves out what Argo CD’s chart depends on, without which Helm would not render it, and nothing else', async () => {
  const charts = await findCharts((await worldWithCharts()).wanted());

  expect(readFileSync(`${charts}/argo-cd/Chart.yaml`, 'utf8')).toBe(
    '# of ours\napiVersion: v2\nname: argo-cd\nversion: 1.2.3\nappVersion: v3.5.2\n',
  );
  expect(existsSync(`${charts}/argo-cd/Chart.lock`)).toBe(false);
});

it('leaves nothing in the cache when a chart is not where it should be', async () => {
  const world = await worldWithCharts();
  rmSync(`${world.home}/sources/helm`, { recursive: true });

  await expect(findCharts(world.wanted())).rejects.toThrow('sealed-secrets');
  await expect(findCharts(world.wanted())).rejects.toThrow('sealed-secrets');
});

/** One folder plays the sources of both modules. */
async function worldWithCharts(): Promise<FakeWorld> {
  const world = await fakeWorld();
  await installGo(world);
  for (const chart of ['charts/argo-cd', 'charts/argo-workflows', 'charts/argo-events', 'helm/sealed-secrets']) {
    const name = chart.split('/')[1] ?? '';
    const dependencies = name === 'argo-cd' ? 'dependencies:\n  - name: redis-ha\n    version: 4.29.4\n' : '';
    const head = `# of ours\napiVersion: v2\nname: ${name}\nversion: 1.2.3\n`;
    write(world, `${chart}/Chart.yaml`, `${head}${dependencies}appVersion: v3.5.2\n`);
    write(world, `${chart}/Chart.lock`, 'digest: one\n');
    write(world, `${chart}/templates/one.yaml`, 'kind: ConfigMap\n');
  }
  writeFileSync(`${world.home}/download.json`, JSON.stringify({ Dir: `${world.home}/sources` }));
  return world;
}

function write({ home }: FakeWorld, file: string, text: string): void {
  const path = join(home, 'sources', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o444 });
}
