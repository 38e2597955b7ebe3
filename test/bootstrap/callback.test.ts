import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readCallbackLine } from '../../src/core/bootstrap/callback-event.ts';
import { ansible, findAnsible, here, type Playing, play, withoutAnsible } from './ansible.ts';
import { scratchFolder } from './scratch.ts';

const isThere = findAnsible() !== undefined;
const patience = { timeout: 60_000 };

describe.runIf(isThere)(isThere ? 'the callback' : `the callback ${withoutAnsible}`, () => {
  it(
    'tells roles, phases, attempts, failures and results, each in a line that Tiphys understands',
    patience,
    async () => {
      const { told, ended } = play('site.yml', scratchFolder(failing));
      expect((await ended).code).toBe(2);
      expect(told.map((event) => readCallbackLine(JSON.stringify(event))?.event)).toEqual(
        told.map(({ event }) => event),
      );
      expect(told.map(({ at: _at, ...event }) => event)).toEqual([
        { event: 'role-started', role: 'argo-events' },
        { event: 'phase', role: 'argo-events', phase: 'pre-check', task: 'Look at acme' },
        { event: 'phase', role: 'argo-events', phase: 'apply', task: 'Ask the shared role' },
        { event: 'phase', role: 'argo-events', phase: 'apply', task: 'Do what is shared' },
        { event: 'phase', role: 'argo-events', phase: 'validate', task: 'Wait until the bus answers' },
        { event: 'retrying', role: 'argo-events', task: 'Wait until the bus answers', attempt: 1, of: 3 },
        { event: 'retrying', role: 'argo-events', task: 'Wait until the bus answers', attempt: 2, of: 3 },
        {
          event: 'task-failed',
          role: 'argo-events',
          phase: 'validate',
          task: 'Wait until the bus answers',
          message: 'no answer',
        },
        { event: 'phase', role: 'argo-events', phase: 'rollback', task: 'Ask the shared role' },
        { event: 'phase', role: 'argo-events', phase: 'rollback', task: 'Do what is shared' },
        { event: 'phase', role: 'argo-events', phase: 'result', task: 'Set the facts' },
        {
          event: 'role-result',
          role: 'argo-events',
          status: 'rolled_back',
          changed: true,
          seconds: 1.5,
          chart: 'argo-events',
          version: '2.4.25',
          revision: 2,
          error: 'no answer',
        },
        { event: 'task-failed', role: 'argo-events', task: 'Stop unless it succeeded', message: 'it failed' },
        { event: 'finished', ok: expect.any(Number), changed: 0, failed: 1, skipped: 0, rescued: 1 },
      ]);
    },
  );

  it('hides what no_log hides (R7.5)', patience, async () => {
    const { told, ended } = play('site.yml', scratchFolder(secretive));
    const { out } = await ended;
    // What people read besides: since ansible-core 2.19 a failed task prints its error there, no_log or not.
    expect(out).toContain('Read the password');
    expect(out).not.toContain('hunter2');
    expect(told).toContainEqual(expect.objectContaining({ event: 'task-failed', task: 'Read the password' }));
    expect(JSON.stringify(told)).not.toContain('hunter2');
  });

  it('does not disturb a run that nobody listens to, from the start or from the middle', patience, async () => {
    for (const [listener, more] of [
      ['none', { TIPHYS_EVENTS_FD: '' }],
      ['a closed descriptor', { TIPHYS_EVENTS_FD: '99' }],
      ['nonsense', { TIPHYS_EVENTS_FD: 'three' }],
    ] as const) {
      const folder = scratchFolder(waiting);
      writeFileSync(join(folder, 'go'), '');
      const words = [join(folder, 'site.yml'), ...here()];
      const end = ansible('ansible-playbook', words, folder, { ...more, ANSIBLE_ROLES_PATH: join(folder, 'roles') });
      expect({ listener, code: end.code }).toEqual({ listener, code: 0 });
    }
    const folder = scratchFolder(waiting);
    const playing = play('site.yml', folder);
    await begun(playing);
    playing.reader.destroy();
    writeFileSync(join(folder, 'go'), '');
    expect((await playing.ended).code).toBe(0);
  });

  it(
    'ends the run together with its reader when told so, so that a killed supervisor leaves nobody at work',
    patience,
    async () => {
      const playing = play('site.yml', scratchFolder(waiting), { TIPHYS_ENDS_WITH_READER: '1' });
      await begun(playing);
      playing.reader.destroy();
      const { code, signal } = await playing.ended;
      expect([code, signal]).not.toEqual([0, null]);
    },
  );
});

async function begun({ told }: Playing): Promise<void> {
  await vi.waitFor(() => expect(told.some(({ event }) => event === 'role-started')).toBe(true), {
    timeout: 30_000,
    interval: 50,
  });
}

const site = '- hosts: localhost\n  gather_facts: false\n  vars: { platform: acme }\n  roles: [argo-events]\n';
const role = 'roles/argo-events/tasks';

const failing = {
  'site.yml': site,
  [`${role}/main.yml`]: `
- block:
    - ansible.builtin.include_tasks: pre-check.yml
    - ansible.builtin.include_tasks: apply.yml
    - ansible.builtin.include_tasks: validate.yml
  rescue:
    - ansible.builtin.include_tasks: rollback.yml
  always:
    - ansible.builtin.include_tasks: result.yml
- name: Stop unless it succeeded
  ansible.builtin.fail: { msg: it failed }
`,
  [`${role}/pre-check.yml`]: '- name: Look at {{ platform }}\n  ansible.builtin.debug: { msg: x }\n',
  [`${role}/apply.yml`]:
    '- name: Ask the shared role\n  ansible.builtin.include_role: { name: release, tasks_from: shared.yml }\n',
  [`${role}/validate.yml`]: `
- name: Wait until the bus answers
  ansible.builtin.debug: { msg: no answer }
  register: answer
  until: answer.msg == 'yes'
  retries: 2
  delay: 0
`,
  [`${role}/rollback.yml`]:
    '- name: Ask the shared role\n  ansible.builtin.include_role: { name: release, tasks_from: validate.yml }\n',
  [`${role}/result.yml`]: `
- name: Set the facts
  ansible.builtin.set_fact:
    argo_events_result: { status: rolled_back, changed: true, seconds: 1.5, chart: argo-events, version: 2.4.25, appVersion: '', revision: 2, error: no answer }
`,
  'roles/release/tasks/shared.yml': '- name: Do what is shared\n  ansible.builtin.debug: { msg: x }\n',
  'roles/release/tasks/validate.yml': '- name: Do what is shared\n  ansible.builtin.debug: { msg: x }\n',
};

const secretive = {
  'site.yml': site,
  [`${role}/main.yml`]: '- ansible.builtin.include_tasks: apply.yml\n',
  [`${role}/apply.yml`]: `
- name: Read the password
  ansible.builtin.fail: { msg: "hunter2 {{ item }}" }
  loop: [hunter2]
  no_log: true
`,
};

const waiting = {
  'site.yml': site,
  [`${role}/main.yml`]: '- ansible.builtin.include_tasks: apply.yml\n',
  [`${role}/apply.yml`]: `
- name: Wait for the file
  ansible.builtin.wait_for: { path: "{{ playbook_dir }}/go", timeout: 50, sleep: 1 }
- name: Do something more
  ansible.builtin.debug: { msg: x }
`,
};
