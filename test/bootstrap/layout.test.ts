import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readChartsLock } from '../../src/core/bootstrap/charts-lock.ts';
import { bootstrapRoles } from '../../src/core/bootstrap/roles.ts';
import { bootstrap } from './ansible.ts';

const roles = bootstrapRoles.map(({ name }) => name);
const phases = ['pre-check', 'apply', 'test', 'validate', 'rollback', 'result'];

describe('the layout of the bootstrap (R6.1)', () => {
  it('has the playbooks in the order in which Tiphys shows them, a role for each, and one for what they share', () => {
    const site = read('site.yml') as { 'ansible.builtin.import_playbook': string }[];
    expect(site.map((one) => one['ansible.builtin.import_playbook'])).toEqual(
      roles.map((role) => `playbooks/${role}.yml`),
    );
    expect(readdirSync(join(bootstrap, 'roles')).sort()).toEqual([...roles, 'release'].sort());
    expect(roles.map((role) => (read(`playbooks/${role}.yml`) as { roles: string[] }[])[0]?.roles)).toEqual(
      roles.map((role) => [role]),
    );
  });

  it.each(roles)(
    'has the six phases in role %s, goes back only after a failure and always says how it ended (R6.2)',
    (role) => {
      for (const phase of phases)
        expect(existsSync(join(bootstrap, 'roles', role, 'tasks', `${phase}.yml`))).toBe(true);
      const [main] = read(`roles/${role}/tasks/main.yml`) as [Record<'block' | 'rescue' | 'always', Task[]>];
      const included = (tasks: readonly Task[]) => tasks.map((task) => task['ansible.builtin.include_tasks']);
      expect([included(main.block), included(main.rescue), included(main.always)]).toEqual([
        phases.slice(0, 4).map((phase) => `${phase}.yml`),
        ['rollback.yml'],
        ['result.yml'],
      ]);
      const [, facts] = read(`roles/${role}/tasks/result.yml`) as [Task, { 'ansible.builtin.set_fact': object }];
      const prefix = role.replaceAll('-', '_');
      expect(Object.keys(facts['ansible.builtin.set_fact'])).toEqual([`${prefix}_status`, `${prefix}_result`]);
    },
  );

  it.each(bootstrapRoles)('has role $name require the status of exactly what it follows (R6.3)', ({ name, after }) => {
    const text = readFileSync(join(bootstrap, 'roles', name, 'tasks', 'pre-check.yml'), 'utf8');
    const required = [...text.matchAll(/- role: (\S+)\n\s+status: "\{\{ (\w+) \|/g)].map(([, role, fact]) => [
      role,
      fact,
    ]);
    expect(required).toEqual(after.map((role) => [role, `${role.replaceAll('-', '_')}_status`]));
  });
});

describe('the tasks of the bootstrap', () => {
  const tasks = files('roles').flatMap((file) => flat(read(file) as Task[]).map((task) => ({ file, task })));

  it('are read by this test', () => {
    expect(tasks.length).toBeGreaterThan(80);
  });

  it('use charts and objects only: no shell, no sleeping, nothing else that could do anything (R6.1)', () => {
    const allowed = [
      ...['assert', 'debug', 'fail', 'include_role', 'include_tasks', 'set_fact', 'stat'].map(
        (name) => `ansible.builtin.${name}`,
      ),
      ...['helm', 'helm_info', 'k8s', 'k8s_info'].map((name) => `kubernetes.core.${name}`),
      'helm_rollback',
    ];
    const used = new Set(tasks.flatMap(({ task }) => Object.keys(task).filter((key) => !keywords.has(key))));
    expect([...used].filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it('ignore no error', () => {
    expect(
      tasks.filter(({ task }) => 'ignore_errors' in task || 'failed_when' in task || 'ignore_unreachable' in task),
    ).toEqual([]);
  });

  it('install atomically and wait (R6.1)', () => {
    const installs = tasks.flatMap(({ task }) =>
      'kubernetes.core.helm' in task ? [task['kubernetes.core.helm']] : [],
    );
    expect(installs.length).toBe(2);
    for (const install of installs) expect(install).toMatchObject({ atomic: true, wait: true, history_max: 10 });
  });

  it('never show what holds the credentials of Git (R7.5)', () => {
    const secret = /gitops_handoff_secret\b|gitops_handoff_(found|old)_secret\b|git_credentials\(/;
    const open = tasks.filter(({ task }) => {
      const isAboutIt = Object.entries(task).some(
        ([key, value]) => !control.has(key) && texts(value).some((text) => secret.test(text)),
      );
      return isAboutIt && task['no_log'] !== true;
    });
    expect(open.map(({ file, task }) => `${file}: ${String(task['name'])}`)).toEqual([]);
    expect(tasks.filter(({ task }) => task['no_log'] === true).length).toBeGreaterThanOrEqual(4);
  });

  it('wait with a number of attempts and a pause that can be set (R6.2)', () => {
    const waits = tasks.filter(({ task }) => 'until' in task);
    expect(waits.length).toBeGreaterThanOrEqual(6);
    const unset = waits.filter(
      ({ task }) => !/validate_retries|interrupted_grace/.test(String(task['retries'])) || !('delay' in task),
    );
    expect(unset.map(({ task }) => task['name'])).toEqual([]);
  });
});

describe('what the bootstrap is told and pins', () => {
  const defaults = read('inventories/local/group_vars/all.yml') as Record<string, unknown>;

  it('has every variable in its README', () => {
    const readme = readFileSync(join(bootstrap, 'README.md'), 'utf8');
    const computed = ['project_folder', 'chart_versions', 'validate_delay', 'bootstrap_namespaces'];
    const untold = Object.keys(defaults).filter((name) => !computed.includes(name) && !readme.includes(`\`${name}\``));
    expect(untold).toEqual([]);
  });

  it('has the charts of the roles in charts.lock', () => {
    const lock = readChartsLock(readFileSync(join(bootstrap, 'charts.lock'), 'utf8'));
    const asked = files('roles').flatMap((file) =>
      [...readFileSync(join(bootstrap, file), 'utf8').matchAll(/chart_versions\['([a-z-]+)'\]/g)].map(
        ([, chart]) => chart ?? '',
      ),
    );
    expect('charts' in lock ? lock.charts.map(({ name }) => name).sort() : lock).toEqual([...new Set(asked)].sort());
  });

  it('pins every Python package with a hash, and Ansible 12', () => {
    const packages = readFileSync(join(bootstrap, 'requirements.txt'), 'utf8')
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
    expect(packages.filter((line) => !/^[a-z0-9._-]+==\S+.* --hash=sha256:[0-9a-f]{64}/i.test(line))).toEqual([]);
    const names = packages.map((line) => line.split('==')[0]);
    expect(names).toEqual(
      expect.arrayContaining(['ansible', 'ansible-core', 'kubernetes', 'openshift', 'pyyaml', 'jsonpatch']),
    );
    expect(packages.find((line) => line.startsWith('ansible=='))).toMatch(/^ansible==12\.3\.0 /);
  });
});

type Task = Readonly<Record<string, unknown>>;

const control = new Set(['name', 'when', 'vars', 'loop', 'loop_control', 'label']);
const keywords = new Set([
  ...control,
  'register',
  'until',
  'retries',
  'delay',
  'no_log',
  'check_mode',
  'block',
  'rescue',
  'always',
]);

function read(file: string): unknown {
  return parse(readFileSync(join(bootstrap, file), 'utf8'));
}

/** The task files below a folder. */
function files(folder: string): string[] {
  return readdirSync(join(bootstrap, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[^/]+\/(tasks|defaults)\/.*\.yml$/.test(file))
    .map((file) => `${folder}/${file}`)
    .sort();
}

/** Every text in a value. */
function texts(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(texts);
  return typeof value === 'string' ? [value] : [];
}

/** Tasks of blocks, too. A file with defaults has none. */
function flat(tasks: readonly Task[]): readonly Task[] {
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((task) => [
    task,
    ...['block', 'rescue', 'always'].flatMap((part) => flat((task[part] ?? []) as readonly Task[])),
  ]);
}
