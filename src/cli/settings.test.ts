import { describe, expect, it } from 'vitest';
import { type RawOptions, readSettings } from './settings.ts';

describe('variables (R7.2)', () => {
  const rows: [
    variable: string,
    value: string,
    read: (settings: ReturnType<typeof readSettings>) => unknown,
    expected: unknown,
  ][] = [
    ['KUBECONFIG_DATA', 'YQ==', ({ kubeconfigData }) => kubeconfigData, 'YQ=='],
    ['KUBECONFIG_PATH', '/k', ({ raw }) => raw.kubeconfig, '/k'],
    ['TARGET_SCOPE', 'app:web', ({ scope }) => scope, { kind: 'app', name: 'web' }],
    ['DRY_RUN', 'true', ({ dryRun }) => dryRun, true],
    ['DRY_RUN', '1', ({ dryRun }) => dryRun, true],
    ['DRY_RUN', 'False', ({ dryRun }) => dryRun, false],
    ['DRY_RUN', '', ({ dryRun }) => dryRun, false],
    ['LOG_LEVEL', 'debug', ({ logLevel }) => logLevel, 'debug'],
    ['LOG_FORMAT', 'json', ({ logFormat }) => logFormat, 'json'],
    ['PV_POLICY', 'snapshot', ({ overrides }) => overrides.pvPolicy, 'snapshot'],
    ['CONFIRM', 'acme', ({ raw }) => raw.confirm, 'acme'],
  ];
  it.each(rows)('%s=%s means what its flag means', (variable, value, read, expected) => {
    expect(read(readSettings({}, { [variable]: value }))).toEqual(expected);
  });

  it('lose against a flag', () => {
    const env = {
      TARGET_SCOPE: 'app:web',
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'json',
      PV_POLICY: 'delete',
      CONFIRM: 'a',
      DRY_RUN: 'false',
    };
    const flags: RawOptions = {
      scope: 'stack:s',
      logLevel: 'warn',
      logFormat: 'text',
      pvPolicy: 'retain',
      confirm: 'b',
      dryRun: true,
    };
    expect(readSettings(flags, env)).toMatchObject({
      scope: { kind: 'stack', name: 's' },
      logLevel: 'warn',
      logFormat: 'text',
      overrides: { pvPolicy: 'retain' },
      raw: { confirm: 'b' },
      dryRun: true,
    });
  });

  it('name one cluster: a flag, then KUBECONFIG_DATA, then KUBECONFIG_PATH; the sandbox needs none', () => {
    const env = { KUBECONFIG_DATA: 'YQ==', KUBECONFIG_PATH: '/path' };
    const which = (raw: RawOptions) => {
      const settings = readSettings(raw, env);
      return [settings.kubeconfigData, settings.raw.kubeconfig];
    };
    expect(which({ kubeconfig: '/flag' })).toEqual([undefined, '/flag']);
    expect(which({})).toEqual(['YQ==', undefined]);
    expect(which({ sandbox: true })).toEqual([undefined, undefined]);
  });

  it.each([
    ['ENVIRONMENT', 'prod', 'development, staging, production'],
    ['DRY_RUN', 'yes', 'true, false, 1, 0'],
    ['LOG_LEVEL', 'loud', 'debug, info, warn, error'],
    ['LOG_FORMAT', 'xml', 'text, json'],
    ['PV_POLICY', 'keep', 'retain, delete, snapshot'],
    ['TARGET_SCOPE', 'web', 'platform, stack:<name> or app:<name>'],
  ])('%s=%s is refused with what it may be', (variable, value, allowed) => {
    expect(() => readSettings({}, { [variable]: value })).toThrow(
      expect.objectContaining({ exitCode: 3, hint: `Use ${allowed}.` }),
    );
  });

  it.each(['development', 'staging', 'production'])('ENVIRONMENT may be %s', (name) => {
    expect(() => readSettings({}, { ENVIRONMENT: name })).not.toThrow();
  });
});

describe('options', () => {
  it('read time-outs as Go durations, for every app or for one', () => {
    const { overrides } = readSettings({ timeout: '1h30m', nodeTimeout: ['20m', 'ceph=45m'] }, {});
    expect(overrides.runTimeoutMs).toBe(5_400_000);
    expect(overrides.nodeTimeouts).toEqual(
      new Map([
        ['*', 1_200_000],
        ['ceph', 2_700_000],
      ]),
    );
  });

  it.each<[RawOptions]>([
    [{ timeout: '5' }],
    [{ timeout: '-5m' }],
    [{ timeout: '0s' }],
    [{ nodeTimeout: ['web=soon'] }],
    [{ parallelism: '-1' }],
    [{ parallelism: '1.5' }],
    [{ order: 'layers' }],
    [{ with: 'all' }],
    [{ output: 'yaml' }],
    [{ engine: 'argo' }],
    [{ with: 'needs' }],
    [{ with: 'needs', scope: 'platform' }],
    [{ sandbox: true, kubeconfig: '/k' }],
    [{ sandbox: true, context: 'production' }],
  ])('%j is refused with exit 3', (raw) => {
    expect(() => readSettings(raw, {})).toThrow(expect.objectContaining({ exitCode: 3 }));
  });

  it('a scope that came from a variable may be widened by a flag', () => {
    expect(readSettings({ with: 'needs' }, { TARGET_SCOPE: 'app:web' })).toMatchObject({ with: 'needs' });
  });

  it.each([
    'https://bot:hunter2@git.example.com/p.git',
    'https://ghp_hunter2@git.example.com/p.git',
    'ssh://git:hunter2@git.example.com/p.git',
  ])('a repository with a password in it is refused, and the password is not repeated: %s', (gitRepository) => {
    try {
      readSettings({ gitRepository }, {});
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain('hunter2');
      expect(error).toMatchObject({ exitCode: 3, message: '--git-repository holds a password or a token' });
    }
  });

  it.each(['https://git.example.com/p.git', 'ssh://git@git.example.com/p.git', 'git@git.example.com:p.git'])(
    'a repository without one is not: %s',
    (gitRepository) => {
      expect(readSettings({ gitRepository }, {}).overrides.gitRepository).toBe(gitRepository);
    },
  );
});
