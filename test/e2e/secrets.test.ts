import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tell } from '../../src/cli/fake-io.fixture.ts';
import { htmlReport } from '../../src/core/report/html-report.ts';
import { jsonReport } from '../../src/core/report/json-report.ts';
import { markdownReport } from '../../src/core/report/markdown-report.ts';
import { toReport } from '../../src/core/report/to-report.ts';
import { bench, deployOn, platformFrom, teardownOn } from '../harness.ts';
import { admin, faults } from './look.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-'));
afterAll(() => rmSync(folder, { recursive: true }));
const planted = 'hunter2-planted';

describe('a secret (R7.5)', () => {
  it('in a variable appears in nothing that a command says', async () => {
    const data = Buffer.from(`users: [{ name: u, user: { token: ${planted} } }]`).toString('base64');
    const env = { KUBECONFIG_DATA: data, GIT_TOKEN: planted, AWS_SECRET_ACCESS_KEY: planted, CONFIRM: 'hello' };
    const events = join(folder, 'events.jsonl');
    for (const args of [
      ['deploy', 'platforms/hello', '--log-level', 'debug'],
      ['deploy', 'platforms/hello', '--sandbox', '--log-level', 'debug', '--events', events, '-o', 'json'],
      ['teardown', 'platforms/hello', '--sandbox', '-o', 'html'],
      ['status', 'platforms/hello'],
    ]) {
      const { out, err } = await tell(args, { env });
      expect(out + err).not.toContain(planted);
      expect(out + err).not.toContain(data.slice(0, 40));
    }
    expect(readFileSync(events, 'utf8')).not.toContain(planted);
  });

  it.each([
    ['no base64', '{}{}'],
    ['no YAML', Buffer.from(`{ token: ${planted}`).toString('base64')],
    ['no kubeconfig', Buffer.from(planted).toString('base64')],
    [
      'no context',
      Buffer.from(`current-context: ${planted}\nusers: [{ user: { token: ${planted} } }]`).toString('base64'),
    ],
  ])('in KUBECONFIG_DATA that is %s is not quoted in the complaint', async (what, data) => {
    const { exitCode, out, err } = await tell(['deploy', 'platforms/hello'], { env: { KUBECONFIG_DATA: data } });
    expect(exitCode).toBe(3);
    expect(err).toMatch(/^error: /);
    if (what !== 'no context') expect(out + err).not.toContain(planted);
  });

  it('in the address of the Git repository is refused and not repeated', async () => {
    writeFileSync(join(folder, 'dag.yaml'), readFileSync('platforms/hello/dag.yaml'));
    const environment = readFileSync('platforms/hello/environment.yaml', 'utf8');
    writeFileSync(join(folder, 'environment.yaml'), environment.replace('https://', `https://bot:${planted}@`));
    for (const args of [
      ['check', '.'],
      ['check', '.', '-o', 'json'],
      ['deploy', '.', '--sandbox'],
    ]) {
      const { exitCode, out, err } = await tell(args, { cwd: folder });
      expect(exitCode).toBe(3);
      expect(out + err).toContain('holds a password');
      expect(out + err).not.toContain(planted);
    }
  });

  it('in a Secret of the cluster is in no event and no report, also when the Secret is left behind', async () => {
    const hello = platformFrom('platforms/hello');
    const on = bench(hello, { faults: faults('ingress=degraded') });
    const up = await deployOn(on);
    await admin(on, 'POST', '/api/v1/namespaces/web/secrets', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'theirs', annotations: { note: planted } },
      stringData: { password: planted },
    });
    const down = await teardownOn(on);
    on.close();
    expect(down.run.orphans.map(({ object }) => object)).toContain('Secret web/theirs');
    for (const { run, events } of [up, down]) {
      const report = toReport(run);
      const all = [JSON.stringify(events), jsonReport(report), markdownReport(report), htmlReport(report)];
      expect(all.join('\n')).not.toContain(planted);
      expect(all.join('\n')).not.toContain(Buffer.from(planted).toString('base64'));
    }
  });
});
