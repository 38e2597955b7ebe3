import { describe, expect, it } from 'vitest';
import { bootstrapRoles } from '../../src/core/bootstrap/roles.ts';
import { ansible, findAnsible, withoutAnsible } from './ansible.ts';
import { scratchFolder } from './scratch.ts';

const isThere = findAnsible() !== undefined;
const canLint = findAnsible('ansible-lint') !== undefined;
const patience = { timeout: 120_000 };

describe.runIf(isThere)(isThere ? 'the playbooks' : `the playbooks ${withoutAnsible}`, () => {
  it.each(['site.yml', ...bootstrapRoles.map(({ name }) => `playbooks/${name}.yml`)])(
    '%s is one for Ansible',
    patience,
    (file) => {
      const { code, err } = ansible('ansible-playbook', ['--syntax-check', file], scratchFolder());
      expect({ code, err: err.split('\n').filter((line) => /ERROR/.test(line)) }).toEqual({ code: 0, err: [] });
    },
  );
});

// Seen clean with ansible-lint 26.10.1 (`pip install ansible-lint==26.10.1` beside Ansible, in the environment that TIPHYS_ANSIBLE names).
describe.runIf(canLint)(
  canLint ? 'ansible-lint' : 'ansible-lint (skipped: neither in TIPHYS_ANSIBLE nor in PATH)',
  () => {
    it('has nothing to say in its strictest profile', patience, () => {
      const { code, out } = ansible('ansible-lint', ['--offline', '--nocolor', '-q', '--strict'], scratchFolder());
      expect({ code, out }).toEqual({ code: 0, out: '' });
    });
  },
);
