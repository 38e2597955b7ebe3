import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ansible, findAnsible, here, withoutAnsible } from './ansible.ts';
import { scratchFolder } from './scratch.ts';

const isThere = findAnsible() !== undefined;
const patience = { timeout: 60_000 };

describe.runIf(isThere)(isThere ? 'the callback tiphys_inline' : `the callback ${withoutAnsible}`, () => {
  it('lets a playbook do and say what it does and says with a copy of Ansible for each task', patience, () => {
    const [inline, usual] = [played(everything, 'tiphys_warm, tiphys_inline'), played(everything, 'tiphys_warm')];
    expect(inline).toEqual(usual);
    expect(inline.out).toMatch(/ok=\d+ +changed=0 +unreachable=0 +failed=0 +skipped=4 +rescued=3/);
    expect(inline.out).toContain('with 1 and 2, kept beside');
    expect(inline.out).not.toContain('hunter2');
  });

  it('makes no copy for a fact', patience, () => {
    expect(played(parents, 'tiphys_warm, tiphys_inline').out).toContain('1 process');
    expect(played(parents, 'tiphys_warm').out).toContain('2 processes');
  });

  it('is what the playbooks use', () => {
    const { out } = ansible('ansible-config', ['dump', '--only-changed'], scratchFolder());
    expect(out).toMatch(/CALLBACKS_ENABLED.*tiphys_inline/);
  });
});

function played(tasks: string, callbacks: string) {
  const folder = scratchFolder({
    'site.yml': `- hosts: localhost\n  gather_facts: false\n  tasks:\n${tasks.replaceAll(/^(?=.)/gm, '    ')}`,
    'included.yml': included,
    'roles/shared/tasks/main.yml': included,
  });
  const more = { ANSIBLE_CALLBACKS_ENABLED: callbacks, ANSIBLE_ROLES_PATH: join(folder, 'roles') };
  const { code, out, err } = ansible('ansible-playbook', [join(folder, 'site.yml'), ...here()], folder, more);
  expect(code, out + err).toBe(0);
  return { out: out.replaceAll(folder, ''), err: err.replaceAll(folder, '') };
}

const included = `
- name: Add {{ one }}
  ansible.builtin.set_fact:
    sum: "{{ sum | default([]) + [one] }}"
`;

const everything = `
- name: Include for each
  ansible.builtin.include_tasks: included.yml
  loop: [1, 2]
  loop_control: { loop_var: one }
- name: Include a role
  ansible.builtin.include_role: { name: shared }
  vars: { one: 3, beside: kept beside }
  when: sum | length == 2
- name: Include nothing
  ansible.builtin.include_tasks: included.yml
  when: sum | length == 2
- name: Skip a module
  ansible.builtin.stat: { path: / }
  when: sum | length == 2
  register: skipped
- name: Skip some
  ansible.builtin.stat: { path: / }
  loop: [1, 2]
  when: sum | length == 2 and item == 1
- name: Skip what follows
  when: sum is undefined
  block:
    - name: Skip it
      ansible.builtin.debug: { msg: x }
- name: Tell
  ansible.builtin.debug:
    msg: "with {{ sum[0] }} and {{ sum[1] }}, {{ told }} {{ skipped is skipped }}"
  vars: { told: kept beside }
- name: Fail in many ways
  block:
    - name: Require
      ansible.builtin.assert: { that: sum | length == 0, quiet: true, fail_msg: "there are {{ sum }}" }
  rescue:
    - name: Tell why
      ansible.builtin.debug: { msg: "{{ ansible_failed_result.msg }}" }
- name: Fail by a condition
  block:
    - name: Ask for what is not there
      ansible.builtin.stat: { path: / }
      when: nothing.of.it
  rescue:
    - name: Tell why
      ansible.builtin.debug: { msg: "{{ ansible_failed_result.msg }}" }
- name: Fail in secret
  block:
    - name: Read the password
      ansible.builtin.fail: { msg: "hunter2 {{ item }}" }
      loop: [hunter2]
      no_log: true
  rescue:
    - name: Go on
      ansible.builtin.debug: { msg: "{{ ansible_failed_task.name }}" }
`;

const parents = `
- name: Note who runs this
  ansible.builtin.set_fact: { first: "{{ lookup('ansible.builtin.pipe', 'echo $PPID') }}" }
- name: Note who runs that
  ansible.builtin.set_fact: { second: "{{ lookup('ansible.builtin.pipe', 'echo $PPID') }}" }
- name: Tell
  ansible.builtin.debug: { msg: "{{ '1 process' if first == second else '2 processes' }}" }
`;
