import { describe, expect, it } from 'vitest';
import { bootstrapRoles } from '../../src/core/bootstrap/roles.ts';
import { ansible, findAnsible, withoutAnsible } from './ansible.ts';
import { scratchFolder } from './scratch.ts';

const isThere = findAnsible() !== undefined;
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
