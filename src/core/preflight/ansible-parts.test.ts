import { describe, expect, it } from 'vitest';
import { judgeCollections, judgePackages, pythonProbe } from './ansible-parts.ts';

describe('the Python packages of Ansible (R3.4)', () => {
  it('are named one by one, each with the command that installs it', () => {
    const findings = judgePackages('/opt/a/bin/python', { kubernetes: '34.1.0', pyyaml: '6.0.3' });
    expect(findings.map(({ about, verdict }) => [about, verdict])).toEqual([
      ['kubernetes', 'pass'],
      ['openshift', 'warn'],
      ['pyyaml', 'pass'],
      ['jsonpatch', 'fail'],
    ]);
    expect(findings.at(-1)?.fix).toBe('`/opt/a/bin/python -m pip install jsonpatch`');
  });

  it('are asked for without anything that a shell could misread', () => {
    expect(pythonProbe).not.toMatch(/[`$]/);
  });
});

describe('the collections of Ansible (R3.4)', () => {
  it('count from the first folder that has them, as for Ansible', () => {
    const findings = judgeCollections({
      '/home/me/.ansible/collections/ansible_collections': { 'kubernetes.core': { version: '2.4.0' } },
      '/opt/a/lib/ansible_collections': {
        'kubernetes.core': { version: '6.2.0' },
        'community.general': { version: '11.4.1' },
        'ansible.posix': { version: '2.1.0' },
        'ansible.utils': { version: '6.0.0' },
      },
    });
    expect(findings.map(({ verdict }) => verdict)).toEqual(['fail', 'pass', 'pass', 'pass']);
    expect(findings[0]?.saw).toBe('2.4.0 is too old; 4.0.0 or newer is needed');
  });

  it('are all missing where there are none', () => {
    expect(judgeCollections({}).map(({ verdict }) => verdict)).toEqual(['fail', 'fail', 'fail', 'fail']);
  });
});
