import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tell } from '../../src/cli/fake-io.fixture.ts';
import { reportSchema } from '../../src/core/report/report.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-'));
afterAll(() => rmSync(folder, { recursive: true }));
const hello = ['platforms/hello', '--sandbox'] as const;
const broken = [...hello, '--fault', 'database=sync-fails'] as const;

describe('every command', () => {
  const rows: [args: readonly string[], exitCode: number, kind: string][] = [
    [['check', 'platforms/hello'], 0, 'Check'],
    [['plan', ...hello], 0, 'Plan'],
    [['plan', ...hello, '--action', 'teardown'], 0, 'Plan'],
    [['deploy', ...hello, '--dry-run'], 0, 'Plan'],
    [['deploy', ...hello], 0, 'Report'],
    [['deploy', ...broken], 2, 'Report'],
    [['deploy', ...hello, '--timeout', '30s'], 4, 'Report'],
    [['deploy', ...hello, '--fault', 'database=sync-fails', '--fault', 'cert-manager=sync-fails'], 1, 'Report'],
    [['validate', ...hello], 0, 'Report'],
    [['validate', ...hello, '--fault', 'ingress=degraded'], 2, 'Report'],
    [['validate', ...broken], 1, 'Report'],
    [['teardown', ...hello, '--confirm', 'hello', '--include-stateful'], 0, 'Report'],
    [['teardown', ...hello, '--dry-run'], 0, 'Plan'],
    [['teardown', ...hello, '--confirm', 'hello', '--include-stateful', '--fault', 'web=stuck-finalizer'], 2, 'Report'],
    [['status', ...hello], 0, 'Status'],
    [['explain', 'web', ...hello], 0, 'Explanation'],
    [['graph', 'platforms/hello'], 0, 'Graph'],
  ];
  it.each(rows)('%j ends with %i; stdout is the result alone, as text and as JSON', async (args, exitCode, kind) => {
    const text = await tell(args);
    expect([text.exitCode, text.err.includes('bug')]).toEqual([exitCode, false]);
    expect(text.out.length).toBeGreaterThan(10);
    expect(text.out).not.toMatch(/ INFO {2}\[/);
    const json = await tell([...args, '-o', 'json']);
    expect(json.exitCode).toBe(exitCode);
    const document = JSON.parse(json.out) as { kind: string };
    expect(document.kind).toBe(kind);
    if (kind === 'Report') expect(reportSchema.parse(document)).toMatchObject({ exitCode });
  });

  it.each([
    ['markdown', /^# /],
    ['html', /^<!doctype html>/i],
  ])('that ends with a report gives it as %s too', async (format, start) => {
    for (const args of [
      ['deploy', ...broken],
      ['validate', ...hello],
      ['teardown', ...hello, '--confirm', 'hello'],
    ])
      expect((await tell([...args, '-o', format])).out).toMatch(start);
  });

  it('writes the result into --out instead, and says so on stderr', async () => {
    const file = join(folder, 'plan.json');
    const { out, err } = await tell(['plan', ...hello, '-o', 'json', '--out', file]);
    expect([out, err]).toEqual(['', `wrote ${file}\n`]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ kind: 'Plan' });
    expect(await tell(['plan', ...hello, '--out', join(folder, 'no', 'such')])).toMatchObject({ exitCode: 3 });
  });

  it('of the interface is there with its help', async () => {
    const names =
      'check plan deploy validate teardown status graph explain preflight bootstrap sandbox compile attach report schema';
    const { out } = await tell(['--help']);
    for (const name of names.split(' ')) {
      expect(out).toContain(`\n  ${name} `);
      const help = await tell([name, '--help']);
      expect([name, help.exitCode, help.err]).toEqual([name, 0, '']);
      expect(help.out).toContain(`Usage: tiphys ${name}`);
    }
    const deploy = (await tell(['deploy', '--help'])).out;
    const flags =
      '--kubeconfig --context --sandbox --scenario --fault --speed --scope --with --engine --order --parallelism --dry-run --timeout --node-timeout --git-repository --git-revision --output --out --events --log-level --log-format --no-color --detach';
    for (const flag of flags.split(' ')) expect(deploy).toContain(flag);
    const teardown = (await tell(['teardown', '--help'])).out;
    for (const flag of ['--confirm', '--pv-policy', '--include-stateful', '--include-crds'])
      expect(teardown).toContain(flag);
  });

  it('prints the schemas, which are the committed ones', async () => {
    for (const name of ['dag', 'environment', 'report']) {
      const { out } = await tell(['schema', name]);
      expect(JSON.parse(out)).toMatchObject({ $schema: expect.stringContaining('json-schema.org') });
      if (name !== 'report')
        expect(JSON.parse(out)).toEqual(JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')));
    }
  });
});

describe('the same inputs', () => {
  it('give the same bytes: two whole runs, report and events (R2.2)', async () => {
    const once = async (name: string): Promise<string[]> => {
      const events = join(folder, name);
      const { out, err } = await tell(['deploy', ...broken, '-o', 'json', '--events', events]);
      return [out, err, readFileSync(events, 'utf8')];
    };
    expect(await once('first.jsonl')).toEqual(await once('second.jsonl'));
  });
});

describe('--events', () => {
  it('is a file for its owner alone, one event a line, and is the whole report', async () => {
    const file = join(folder, 'run.jsonl');
    const { out } = await tell(['deploy', ...broken, '-o', 'json', '--events', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const line of readFileSync(file, 'utf8').trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ at: expect.stringMatching(/^2026-/), type: expect.any(String) });
    // What to do next depends on where it ran, which the events do not say.
    const { recommendations: _later, ...replayed } = JSON.parse((await tell(['report', file, '-o', 'json'])).out);
    const { recommendations: _now, ...told } = JSON.parse(out);
    expect(replayed).toEqual(told);
  });

  it('tells of a run that was killed in the middle of a line', async () => {
    const file = join(folder, 'cut.jsonl');
    await tell(['deploy', ...hello, '--events', file]);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, text.indexOf('node-healthy') + 40));
    const { exitCode, out } = await tell(['report', file, '-o', 'json']);
    expect([exitCode, JSON.parse(out)]).toMatchObject([0, { outcome: 'unfinished', platform: 'hello' }]);
  });

  it('a saved report is rendered again; anything else is refused in a sentence', async () => {
    const file = join(folder, 'report.json');
    await tell(['deploy', ...broken, '-o', 'json', '--out', file]);
    expect((await tell(['report', file])).out).toContain('database');
    const nonsense = '{"at":1,"type":"nonsense"}\n';
    const halfTrue = '{"at":"2026-01-05T03:00:00Z","type":"run-started"}\n';
    for (const text of ['', '{}', 'hello', '[1]', '{"at":', '{"at":\n', nonsense, halfTrue]) {
      writeFileSync(file, text);
      const { exitCode, err } = await tell(['report', file]);
      expect([text, exitCode, err.startsWith('error: ')]).toEqual([text, 3, true]);
    }
  });
});

describe('the executor (R7.2)', () => {
  it('looks for its files in /config', async () => {
    expect(await tell(['deploy', '--sandbox'], { isExecutor: true })).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('/config/dag.yaml does not exist'),
    });
    expect((await tell(['check'], { isExecutor: true })).exitCode).toBe(3);
  });

  it('takes everything from variables', async () => {
    const env = { TARGET_SCOPE: 'app:cert-manager', DRY_RUN: 'true', ENVIRONMENT: 'production' };
    const planned = await tell(['deploy', ...hello, '-o', 'json'], { env, isExecutor: true });
    expect(JSON.parse(planned.out)).toMatchObject({ kind: 'Plan', scope: 'app:cert-manager' });
    const down = await tell(['teardown', ...hello, '-o', 'json', '--include-stateful'], {
      env: { CONFIRM: 'hello', PV_POLICY: 'delete' },
      isExecutor: true,
    });
    expect(JSON.parse(down.out)).toMatchObject({ outcome: 'clean' });
    expect(JSON.parse(down.out).retained.filter(({ object }: { object: string }) => /Volume/.test(object))).toEqual([]);
  });

  it('logs as JSON or text, one line an event, down to the level asked for (R7.10)', async () => {
    const json = await tell(['deploy', ...broken], {
      env: { LOG_FORMAT: 'json', LOG_LEVEL: 'warn' },
      isExecutor: true,
    });
    const lines = json.err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      expect(Object.keys(line)).toEqual(['timestamp', 'level', 'action', 'phase', 'component', 'message']);
      expect(['warn', 'error']).toContain(line['level']);
      expect(line['action']).toBe('deploy');
    }
    const text = await tell(['deploy', ...broken, '--log-format', 'text'], { env: { LOG_FORMAT: 'json' } });
    for (const line of text.err.trimEnd().split('\n'))
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (DEBUG|INFO|WARN|ERROR) {1,2}\[deploy\/[a-z]+\/[a-z-]+\] \S/);
  });
});

describe('a teardown of data', () => {
  it('asks once more, app by app, and keeps what is not named', async () => {
    const asked: string[] = [];
    const answer = (text: string) => async (question: string) => {
      asked.push(question);
      return text;
    };
    const kept = await tell(['teardown', ...hello, '--confirm', 'hello', '-o', 'json'], { ask: answer('yes') });
    expect(asked).toEqual(['database holds data. Type its name to remove it too, or press Enter to keep it: ']);
    expect(JSON.parse(kept.out).nodes).toContainEqual(expect.objectContaining({ name: 'database', state: 'retained' }));
    const gone = await tell(['teardown', ...hello, '--confirm', 'hello', '-o', 'json'], { ask: answer('database') });
    expect(JSON.parse(gone.out).nodes).toContainEqual(expect.objectContaining({ name: 'database', state: 'removed' }));
    const nobody = await tell(['teardown', ...hello, '--confirm', 'hello', '-o', 'json']);
    expect(JSON.parse(nobody.out).nodes).toContainEqual(
      expect.objectContaining({ name: 'database', state: 'retained' }),
    );
  });
});
