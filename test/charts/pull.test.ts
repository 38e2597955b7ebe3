import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loopbackCertificate } from '../../src/adapters/kubernetes/testing/loopback-certificate.ts';
import { packed, smallChart } from '../../src/provision/chart.fixture.ts';
import { chartDigest, readChartArchive } from '../../src/provision/chart-files.ts';
import { findCharts } from '../../src/provision/find-charts.ts';
import { findHelm } from './helm.ts';
import { openRegistry, type Registry } from './registry.ts';

const helmFolder = findHelm();
const why = helmFolder === undefined ? ' (skipped: helm is neither in TIPHYS_TESTBED_BIN nor in PATH)' : '';
const names = ['alpha', 'beta'];
const patience = 60_000;

describe.runIf(helmFolder !== undefined)(`charts that a real Helm pulls over TLS (R6.1)${why}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-pull-'));
  // Not as `helm package` compresses it: a digest over the archive would be another one.
  const archives = Object.fromEntries(names.map((name) => [name, packed(name, smallChart(name))]));
  let registry: Registry;
  let into = '';

  beforeAll(async () => {
    registry = await openRegistry(archives);
    writeFileSync(join(folder, 'authority.pem'), loopbackCertificate);
    writeFileSync(join(folder, 'charts.lock'), lockTo(registry.port));
  });
  beforeEach(() => {
    into = mkdtempSync(join(folder, 'into-'));
  });
  afterAll(() => {
    registry.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'come from an OCI mirror',
    async () => {
      await pull(`oci://127.0.0.1:${registry.port}/charts`);
      expect(
        readdirSync(into)
          .filter((name) => !name.startsWith('.'))
          .sort(),
      ).toEqual(names);
      expect(readFileSync(join(into, 'beta', 'templates', 'config.yaml'), 'utf8')).toBe('kind: ConfigMap\n');
      expect(registry.asked).toContain('/v2/charts/alpha/manifests/1.2.3');
    },
    patience,
  );

  it(
    'come from the repository that the lock names',
    async () => {
      await pull(undefined);
      expect(
        readdirSync(into)
          .filter((name) => !name.startsWith('.'))
          .sort(),
      ).toEqual(names);
      expect(registry.asked).toContain('/repository/alpha-1.2.3.tgz');
    },
    patience,
  );

  it(
    'are refused, each with Helm’s words, when the mirror does not have them or nobody trusts it: exit 3',
    async () => {
      const elsewhere = pull(`oci://127.0.0.1:${registry.port}/nothing`);
      await expect(elsewhere).rejects.toMatchObject({ exitCode: 3 });
      await expect(elsewhere).rejects.toThrow(
        /alpha 1\.2\.3: could not be pulled from oci:.*\/nothing\/alpha: .*not found/,
      );
      await expect(pull(`oci://127.0.0.1:${registry.port}/charts`, {})).rejects.toThrow(/beta 1\.2\.3: .*x509/);
    },
    patience,
  );

  it(
    'come from a mirror that asks who one is, with the login that Helm knows, which nobody prints',
    async () => {
      const guarded = await openRegistry(archives, 'robot:planted-password');
      try {
        const from = `oci://127.0.0.1:${guarded.port}/charts`;
        await expect(pull(from)).rejects.toThrow(/alpha 1\.2\.3: could not be pulled/);
        const auth = Buffer.from('robot:planted-password').toString('base64');
        const login = join(folder, 'registry.json');
        writeFileSync(login, JSON.stringify({ auths: { [`127.0.0.1:${guarded.port}`]: { auth } } }), { mode: 0o600 });
        await pull(from, { ...trusting(), HELM_REGISTRY_CONFIG: login });
        expect(readdirSync(into)).toEqual(expect.arrayContaining(names));
      } finally {
        guarded.close();
      }
    },
    patience,
  );

  function trusting(): Record<string, string> {
    return { SSL_CERT_FILE: join(folder, 'authority.pem') };
  }

  function pull(from: string | undefined, env: Readonly<Record<string, string>> = trusting()): Promise<void> {
    const home = join(folder, 'home');
    return findCharts(
      {
        lock: join(folder, 'charts.lock'),
        from,
        into,
        helm: join(helmFolder ?? '', 'helm'),
        env: { PATH: process.env['PATH'], HOME: home, ...env },
      },
      new AbortController().signal,
    );
  }

  function lockTo(port: number): string {
    const charts = names.map((name) => {
      const digest = chartDigest(readChartArchive(archives[name] ?? Buffer.alloc(0), name));
      const source = { repository: `https://127.0.0.1:${port}/repository` };
      return { name, version: '1.2.3', appVersion: '1.10', source, digest };
    });
    return JSON.stringify({ charts });
  }
});
