import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bootstrap, findAnsible } from './ansible.ts';
import { scratchFolder } from './scratch.ts';

const folder = findAnsible('ansible-lint');
const skipped = 'ansible-lint (skipped: neither in TIPHYS_ANSIBLE nor in PATH; bootstrap/requirements-lint.txt has it)';
const patience = { timeout: 240_000 };

describe('what lints the playbooks', () => {
  it('is pinned with hashes, and agrees with what runs them', () => {
    const lint = pinsOf('requirements-lint.txt');
    const run = pinsOf('requirements.txt');
    expect(lint.get('ansible-lint')).toMatch(/^\d+\.\d+\.\d+$/);
    expect([...lint].filter(([name, version]) => run.has(name) && run.get(name) !== version)).toEqual([]);
    expect(lint.get('ansible-core')).toBe(run.get('ansible-core'));
  });
});

describe.runIf(folder !== undefined)(folder === undefined ? skipped : 'ansible-lint in its strictest profile', () => {
  it('is the pinned one, and has nothing to say of the playbooks', patience, () => {
    expect(lint(bootstrap, '--version').out).toContain(
      `ansible-lint ${pinsOf('requirements-lint.txt').get('ansible-lint')}`,
    );
    const { code, out } = lint(bootstrap, '-q', '--strict');
    expect({ code, out }).toEqual({ code: 0, out: '' });
  });

  it('does look: what R6.1 forbids is found where somebody writes it', patience, () => {
    const copy = join(scratchFolder(), 'bootstrap');
    cpSync(bootstrap, copy, { recursive: true });
    const task = join(copy, 'roles/argocd/tasks/apply.yml');
    appendFileSync(task, '\n- name: Sleep\n  ansible.builtin.shell: sleep 5\n  ignore_errors: true\n');
    const { code, out } = lint(copy, '-q', '--strict', 'roles/argocd/tasks/apply.yml');
    expect(code).not.toBe(0);
    for (const rule of ['command-instead-of-shell', 'ignore-errors', 'no-changed-when']) expect(out).toContain(rule);
  });
});

/** Runs it as CI does: without a network, and with nothing of whoever runs the tests. */
function lint(cwd: string, ...words: readonly string[]) {
  const home = scratchFolder();
  const { status, stdout, stderr } = spawnSync(
    join(folder ?? '', 'ansible-lint'),
    ['--offline', '--nocolor', ...words],
    {
      cwd,
      env: {
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        HOME: home,
        LC_ALL: 'C.UTF-8',
        ANSIBLE_CONFIG: join(cwd, 'ansible.cfg'),
        ANSIBLE_LOCAL_TEMP: join(home, 'local'),
      },
      encoding: 'utf8',
      timeout: 200_000,
    },
  );
  return { code: status, out: stdout, err: stderr };
}

/** Package → version; a package without a hash is none. */
function pinsOf(file: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(bootstrap, file), 'utf8').replaceAll('\\\n', ' ').split('\n');
  const packages = lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  const pinned = /^([a-z0-9._-]+)==(\S+) .*--hash=sha256:[0-9a-f]{64}/i;
  return new Map(
    packages.map((line) => {
      const [, name, version] = pinned.exec(line) ?? [];
      if (name === undefined || version === undefined) throw new Error(`${file} has no pin and hash in “${line}”`);
      return [name, version] as const;
    }),
  );
}
