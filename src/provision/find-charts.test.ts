import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { packed, smallChart } from './chart.fixture.ts';
import { chartDigest, readChartArchive, readChartFolder } from './chart-files.ts';
import { findCharts } from './find-charts.ts';

const root = mkdtempSync(join(tmpdir(), 'tiphys-charts-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const signal = new AbortController().signal;
let folder = '';
let into = '';

beforeEach(async () => {
  folder = mkdtempSync(join(root, 'given-'));
  into = mkdtempSync(join(root, 'into-'));
  write(join(folder, 'alpha'), smallChart('alpha'));
  write(join(folder, 'beta'), smallChart('beta'));
  writeFileSync(join(root, 'charts.lock'), lock(await digestOf('alpha'), await digestOf('beta')));
});

describe('the digest of a chart', () => {
  it('is the same for a checkout, an archive and a folder without what does not render', async () => {
    const { 'Chart.lock': _lock, 'README.md': _readme, ...bare } = smallChart('alpha');
    write(join(folder, 'bare'), bare);
    const archive = readChartArchive(packed('alpha', smallChart('alpha')), 'alpha');
    expect(chartDigest(archive)).toBe(await digestOf('alpha'));
    expect(chartDigest(await readChartFolder(join(folder, 'bare')))).toBe(await digestOf('alpha'));
  });

  it.each([
    ['a template', 'templates/config.yaml'],
    ['a definition', 'crds/thing.yaml'],
    ['the values', 'values.yaml'],
    ['a file more', 'templates/more.yaml'],
  ])('is another when %s is another', async (_what, path) => {
    const before = await digestOf('alpha');
    writeFileSync(join(folder, 'alpha', path), 'kind: Secret\n');
    expect(await digestOf('alpha')).not.toBe(before);
  });

  it('does not mix the name of a file up with what is in it', () => {
    const digest = (files: Record<string, string>): string =>
      chartDigest(readChartArchive(packed('a', { 'Chart.yaml': 'name: a\nversion: 1.0.0\n', ...files }), 'a'));
    expect(digest({ 'templates/a': 'b', 'templates/c': '' })).not.toBe(
      digest({ 'templates/a': '', 'templates/c': 'b' }),
    );
  });
});

describe('the charts of the lock', () => {
  it('come from a folder of folders and archives, and are exactly what was verified', async () => {
    rmSync(join(folder, 'beta'), { recursive: true });
    writeFileSync(join(folder, 'beta-1.2.3.tgz'), packed('beta', smallChart('beta')));
    await findCharts(order(folder), signal);
    expect(readdirSync(into).sort()).toEqual(['alpha', 'beta']);
    expect(JSON.parse(readFileSync(join(into, 'beta', 'Chart.yaml'), 'utf8'))).toEqual({
      apiVersion: 'v2',
      type: 'application',
      name: 'beta',
      version: '1.2.3',
      appVersion: '1.10',
    });
    expect(readFileSync(join(into, 'beta', 'templates', 'config.yaml'), 'utf8')).toBe('kind: ConfigMap\n');
    // A sub-chart is not covered by the digest: it must not be rendered.
    expect(existsSync(join(into, 'alpha', 'charts'))).toBe(false);
  });

  it('are pulled from a mirror, or from the source of each', async () => {
    const { helm, asked } = fakeHelm({
      alpha: packed('alpha', smallChart('alpha')),
      beta: packed('beta', smallChart('beta')),
    });
    await findCharts({ ...order('oci://mirror.example.com/charts/'), helm }, signal);
    expect(asked().sort()).toEqual([
      'pull oci://mirror.example.com/charts/alpha --version 1.2.3',
      'pull oci://mirror.example.com/charts/beta --version 1.2.3',
    ]);
    into = mkdtempSync(join(root, 'into-'));
    const source = fakeHelm({ alpha: packed('alpha', smallChart('alpha')), beta: packed('beta', smallChart('beta')) });
    await findCharts({ ...order(undefined), helm: source.helm }, signal);
    expect(source.asked().sort()).toEqual([
      'pull alpha --repo https://charts.example.com --version 1.2.3',
      'pull oci://registry.example.com/beta --version 1.2.3',
    ]);
  });

  it('are refused when one is another, with both digests, and all of them are told at once: exit 3', async () => {
    const wanted = await digestOf('alpha');
    writeFileSync(join(folder, 'alpha', 'values.yaml'), 'replicas: 100\n');
    rmSync(join(folder, 'beta'), { recursive: true });
    const refusal = findCharts(order(folder), signal);
    await expect(refusal).rejects.toMatchObject({ exitCode: 3, hint: expect.stringContaining('--charts') });
    await expect(refusal).rejects.toThrow(
      `alpha 1.2.3: its digest is ${await digestOf('alpha')}, the lock wants ${wanted}`,
    );
    await expect(refusal).rejects.toThrow(/beta 1\.2\.3: neither .*beta\/Chart\.yaml nor .*beta-1\.2\.3\.tgz is there/);
    expect(readdirSync(into)).toEqual([]);
  });

  it.each([
    [
      'another version',
      () => write(join(folder, 'alpha'), smallChart('alpha', '9.9.9')),
      'what is there is alpha 9.9.9',
    ],
    ['another chart', () => write(join(folder, 'alpha'), smallChart('gamma')), 'what is there is gamma 1.2.3'],
    ['a link', () => symlinkSync('/etc/passwd', join(folder, 'alpha', 'templates', 'x')), 'templates/x is a link'],
  ])('are refused when there is %s', async (_what, change, why) => {
    change();
    await expect(findCharts(order(folder), signal)).rejects.toThrow(why);
  });

  it('are refused with Helm’s own words when they cannot be pulled, and when there is no Helm', async () => {
    const { helm } = fakeHelm({});
    await expect(findCharts({ ...order('oci://mirror.example.com'), helm }, signal)).rejects.toThrow(
      'could not be pulled from oci://mirror.example.com/alpha: Error: no such host',
    );
    await expect(
      findCharts({ ...order('oci://mirror.example.com'), helm: join(root, 'none') }, signal),
    ).rejects.toThrow('helm is not there to pull it');
  });

  it('are refused when the lock itself is wrong', async () => {
    writeFileSync(join(root, 'charts.lock'), 'charts: {}\n');
    await expect(findCharts(order(folder), signal)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('is not a lock file'),
    });
  });
});

function order(from: string | undefined) {
  return { lock: join(root, 'charts.lock'), from, into, helm: 'helm', env: { PATH: process.env['PATH'] } };
}

function lock(alpha: string, beta: string): string {
  return `charts:
  - { name: alpha, version: 1.2.3, appVersion: "1.10", source: { repository: "https://charts.example.com" }, digest: "${alpha}" }
  - { name: beta, version: 1.2.3, appVersion: "1.10", source: { oci: "oci://registry.example.com" }, digest: "${beta}" }
`;
}

async function digestOf(name: string): Promise<string> {
  return chartDigest(await readChartFolder(join(folder, name)));
}

function write(where: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(where, path)), { recursive: true });
    writeFileSync(join(where, path), text);
  }
}

/** Pulls what it was given, notes what it was asked. */
function fakeHelm(archives: Readonly<Record<string, Buffer>>): { helm: string; asked: () => string[] } {
  const place = mkdtempSync(join(root, 'helm-'));
  for (const [name, archive] of Object.entries(archives)) writeFileSync(join(place, `${name}-1.2.3.tgz`), archive);
  const helm = join(place, 'helm');
  writeFileSync(
    helm,
    `#!/bin/sh
echo "$@" | sed 's/ --destination.*//' >> ${place}/asked
for last; do :; done
chart=$(basename "$2")
[ -e "${place}/$chart-1.2.3.tgz" ] || { echo "Error: no such host" >&2; exit 1; }
cp "${place}/$chart-1.2.3.tgz" "$last/"
`,
  );
  chmodSync(helm, 0o755);
  return { helm, asked: () => readFileSync(join(place, 'asked'), 'utf8').trim().split('\n') };
}
