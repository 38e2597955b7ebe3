import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import { reportSchema } from '../../src/core/report/report.ts';
import { allRoles, type BootstrapBench, openBootstrapBench, roleGoes, type Started, token } from './bootstrap-bench.ts';

let bench: BootstrapBench;
beforeAll(async () => {
  bench = await openBootstrapBench();
}, 60_000);
afterAll(() => bench.close());
beforeEach(() => bench.empty());

describe('tiphys bootstrap', () => {
  it('runs the playbook with what it was told, for its owner’s eyes only, and leaves nothing behind', async () => {
    const run = bootstrap(allRoles, ['-o', 'json']);
    expect([await run.ended, run.said.err]).toEqual([0, expect.stringContaining('[bootstrap/run/argocd] Healthy')]);
    const report = reportSchema.parse(JSON.parse(run.said.out));
    expect(report).toMatchObject({ action: 'bootstrap', outcome: 'success', exitCode: 0, platform: 'hello' });
    expect(report.nodes.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'argo-events healthy',
      'argo-workflows healthy',
      'argocd healthy',
      'gitops-handoff healthy',
      'sealed-secrets healthy',
    ]);
    const given = bench.given();
    expect(given.modes).toEqual({ vars: '600', kubeconfig: '600', folder: '700' });
    expect(given.args).toEqual(['site.yml', '-i', 'inventories/local/hosts.yml', '-e', expect.stringMatching(/^@\//)]);
    expect(given.cwd).toBe(join(bench.folder, 'bootstrap'));
    expect(given.env).toMatchObject({
      TIPHYS_EVENTS_FD: '3',
      ANSIBLE_CONFIG: join(bench.folder, 'bootstrap', 'ansible.cfg'),
    });
    expect(given.vars).toMatchObject({
      platform_name: 'hello',
      root_application: 'hello-root',
      argocd_namespace: 'argocd',
      workflows_namespace: 'argo',
      helm_binary: join(bench.folder, 'path', 'helm'),
    });
    expect(readdirSync(bench.tmp)).toEqual([]);
  });

  it('gives it a kubeconfig with the chosen context and no other, and keys nowhere else (R7.5)', async () => {
    const run = bootstrap([...roleGoes('argocd').slice(0, 2), `!err the server said: ${token} is refused`, '!exit 2']);
    expect(await run.ended).toBe(1);
    const { kubeconfig, env, args, vars } = bench.given();
    expect(kubeconfig).toContain(token);
    expect(kubeconfig).not.toContain('somebody-else');
    const { KUBECONFIG: file, ...others } = env;
    expect(file).toMatch(/\/kubeconfig$/);
    expect(JSON.stringify([others, args, vars])).not.toContain(token);
    expect(JSON.stringify(others)).not.toContain(Buffer.from(token).toString('base64').slice(0, 12));
    expect(run.said.out).toContain('server said: *** is refused');
    expect(run.said.out + run.said.err).not.toContain(token);
  });

  it('says of a second run that everything was there: exit 0 (INV-6)', async () => {
    const unchanged = { status: 'success', changed: false, chart: 'argo-cd', version: '10.8.0' };
    const run = bootstrap(allRoles.map((line) => ('status' in line ? { ...line, ...unchanged } : line)));
    expect(await run.ended).toBe(0);
    expect(run.said.out).toContain('bootstrap hello: ready for deploy · 5 of 5 installed (5 already were)');
    expect(run.said.err).toContain('skipped: argo-cd 10.8.0 is installed and healthy');
  });

  it('reports a role that was rolled back, what it blocks, and what to do: exit 1 (R6.2)', async () => {
    const result = { status: 'rolled_back', changed: true, error: 'no pod became ready within 300 s' };
    const run = bootstrap([...roleGoes('argocd', result), '!exit 2']);
    expect(await run.ended).toBe(1);
    expect(run.said.out).toContain('✗ bootstrap hello: failed');
    expect(run.said.out).toContain('no pod became ready within 300 s; rolled back');
    expect(run.said.out).toContain('blocks 3: argo-events, argo-workflows, gitops-handoff');
  });

  it('tells the end of what a playbook said that died without a word', async () => {
    const run = bootstrap(['!err ERROR! the role was not found', '!exit 1']);
    expect(await run.ended).toBe(1);
    expect(run.said.out).toContain(
      'ansible-playbook ended with code 1 before this role began: ERROR! the role was not found',
    );
  });

  it('ends at its time-out: exit 4 (R7.3)', async () => {
    const run = bootstrap([...roleGoes('argocd').slice(0, 3), '!hang'], ['--timeout', '5s']);
    expect(await run.ended).toBe(4);
    expect(run.said.out).toContain('the time for the bootstrap was over during validate: Wait until it is ready');
  });

  it('ends with everything it started at the first Ctrl-C, reports what was going on, and leaves no key: exit 1', async () => {
    const run = bootstrap(
      [...roleGoes('argocd').slice(0, 3), '!child', '!err waiting', '!hang'],
      ['--log-level', 'debug'],
    );
    await run.until(/ansible: waiting/);
    run.kill('SIGINT');
    expect(await run.ended).toBe(1);
    expect(run.said.out).toContain('Interrupted: stopped on request during argocd (validate: Wait until it is ready)');
    expect(readdirSync(bench.tmp)).toEqual([]);
    expect(isAlive(childOfPlaybook())).toBe(false);
  });

  it.each(['SIGKILL', 'SIGINT twice'] as const)('leaves neither playbook nor key behind after %s', async (how) => {
    const run = bootstrap(
      [...roleGoes('argocd').slice(0, 3), '!child', '!err waiting', '!hang'],
      ['--log-level', 'debug'],
    );
    await run.until(/ansible: waiting/);
    if (how === 'SIGKILL') run.kill('SIGKILL');
    else {
      run.kill('SIGINT');
      // The playbook ends when it is asked to, its child does not: now we wait for it, and are not waited for.
      await eventually('the playbook has heard of it', () => !isAlive(bench.given().pid));
      run.kill('SIGINT');
    }
    await run.ended;
    await eventually('the playbook and its child are gone', () => !isAlive(childOfPlaybook()));
    await eventually('the private folder is gone', () => readdirSync(bench.tmp).length === 0);
  });

  it('prints its plan and changes nothing in a dry run', async () => {
    const run = bootstrap([], ['--dry-run']);
    expect(await run.ended).toBe(0);
    expect(run.said.out).toContain('bootstrap hello: 5 to install');
    expect(bench.writes).toEqual([]);
  });

  it.each([
    [
      'a chart that is another',
      (folder: string) => writeFileSync(join(folder, 'given-charts/alpha/values.yaml'), 'evil: 1\n'),
      /alpha 1\.2\.3: its digest is sha256:[0-9a-f]{64}, the lock wants sha256:/,
    ],
    ['no helm', (folder: string) => rmSync(join(folder, 'path', 'helm')), /helm is not in PATH/],
    [
      'no Ansible where it was named',
      (folder: string) => rmSync(join(folder, 'ansible', 'ansible-playbook')),
      /TIPHYS_ANSIBLE names .* which will not do/,
    ],
  ] as const)(
    'runs nothing with %s: exit 3',
    async (_what, breakIt, why) => {
      const own = await openBootstrapBench();
      try {
        breakIt(own.folder);
        const run = own.start(['bootstrap', 'platforms/hello'], allRoles);
        expect([await run.ended, run.said.err]).toEqual([3, expect.stringMatching(why)]);
        expect(existsSync(join(own.folder, 'given.json'))).toBe(false);
        expect(readdirSync(own.tmp)).toEqual([]);
      } finally {
        await own.close();
      }
    },
    60_000,
  );

  it('is not for the sandbox, which has Argo CD: exit 3', async () => {
    const run = bootstrap([], ['--sandbox']);
    expect([await run.ended, run.said.err]).toEqual([3, expect.stringContaining('the sandbox needs no bootstrap')]);
  });
});

function bootstrap(play: readonly (object | string)[], args: readonly string[] = []): Started {
  return bench.start(['bootstrap', 'platforms/hello', ...args], play);
}

function childOfPlaybook(): number {
  return Number(readFileSync(join(bench.folder, 'child'), 'utf8'));
}

function isAlive(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/\) Z /.test(readFileSync(file, 'utf8'));
}

async function eventually(what: string, isSo: () => boolean): Promise<void> {
  const until = systemClock.now() + 15_000;
  while (!isSo()) {
    if (systemClock.now() > until) throw new Error(`15 s were not enough until ${what}`);
    await systemClock.sleep(50);
  }
}
