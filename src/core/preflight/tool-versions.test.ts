import { describe, expect, it } from 'vitest';
import { compareVersions } from './compare-versions.ts';
import { judgeTool, pythonOf, type Tool, type ToolAnswer, tools } from './tool-versions.ts';

describe('the versions of tools (R3.4)', () => {
  it.each([
    ['kubectl', kubectl('v1.34.11'), '1.34.11'],
    ['kubectl', kubectl('v1.32.4-dispatcher'), '1.32.4-dispatcher'],
    ['helm', 'v3.21.4+g7e2b1d5\n', '3.21.4+g7e2b1d5'],
    ['helm', 'v3.21.4\n', '3.21.4'],
    ['kubeseal', 'kubeseal version: 0.36.6\n', '0.36.6'],
    ['kubeseal', 'kubeseal version: v0.36.6\n', '0.36.6'],
    ['jq', 'jq-1.6\n', '1.6'],
    ['jq', 'jq-1.7.1-apple\n', '1.7.1-apple'],
    ['yq', 'yq (https://github.com/mikefarah/yq/) version v4.44.3\n', '4.44.3'],
    ['yq', 'yq version 4.6.1\n', '4.6.1'],
    ['ansible-playbook', ansible('[core 2.19.4]'), '2.19.4'],
    ['ansible-playbook', ansible('[core 2.16.0rc1]'), '2.16.0rc1'],
  ])('%s is read from what it prints and is new enough', (name, printed, version) => {
    expect(judged(name, { printed })).toMatchObject({ verdict: 'pass', saw: expect.stringContaining(version) });
  });

  it.each([
    ['kubectl', kubectl('v1.27.16'), '1.27.16 is too old'],
    ['helm', 'v3.9.4+gdbc6d8e\n', '3.9.4+gdbc6d8e is too old'],
    ['kubeseal', 'kubeseal version: 0.9.8\n', '0.9.8 is too old'],
    ['jq', 'jq-1.5-1-a5b5cbe\n', '1.5-1-a5b5cbe is too old'],
    ['yq', 'yq version 3.4.1\n', '3.4.1 is too old'],
    ['ansible-playbook', 'ansible-playbook 2.9.27\n  config file = None\n', '2.9.27 is too old'],
    ['ansible-playbook', ansible('[core 2.14.3]'), '2.14.3 is too old'],
  ])('%s too old says which it is and which is needed', (name, printed, saw) => {
    const finding = judged(name, { printed });
    expect(finding).toMatchObject({ verdict: 'fail', saw: expect.stringContaining(saw) });
    expect(finding.saw).toContain(tool(name).least);
  });

  it('the Python program that Debian calls yq is told from the one that is needed', () => {
    expect(judged('yq', { printed: 'yq 0.0.0\n' })).toMatchObject({
      verdict: 'fail',
      saw: expect.stringContaining('another program of the same name'),
    });
    expect(judged('yq', { printed: 'yq 3.1.0\n', path: '/usr/bin/yq' })).toMatchInlineSnapshot(`
      {
        "about": "yq",
        "fix": "Install yq 4 by Mike Farah, a single file: https://github.com/mikefarah/yq/releases. Put it into a folder that stands before the other one in PATH, for example /usr/local/bin.",
        "saw": "another program of the same name at /usr/bin/yq: yq 3.1.0 in Python, a wrapper around jq, which Debian and Ubuntu call yq; yq 4 in Go is needed",
        "verdict": "fail",
      }
    `);
  });

  it('a tool that is missing, cannot be run or never answers says what to do', () => {
    for (const because of ['not-found', 'not-executable', 'deadline'] as const)
      for (const { name } of tools) {
        const finding = judged(name, { because });
        expect(finding.verdict).toBe('fail');
        expect(finding.fix).toMatch(/\w{5}/);
      }
    expect(judged('jq', { because: 'not-found' }).saw).toBe('not found in PATH; 1.6 or newer is needed');
  });

  it('a tool that prints something else is no pass', () => {
    expect(judged('helm', { printed: 'WARNING: Kubernetes configuration file is group-readable\n' })).toMatchObject({
      verdict: 'fail',
      saw: expect.stringContaining('does not tell its version'),
    });
  });

  it('a warning before the version does not hide it', () => {
    const printed = 'WARNING: Kubernetes configuration file is group-readable\nv3.21.4+g7e2b1d5\n';
    expect(judged('helm', { printed }).verdict).toBe('pass');
  });

  it('Helm 4 is a warning: kubernetes.core may refuse it', () => {
    expect(judged('helm', { printed: 'v4.0.1+g12500dd\n' }).verdict).toBe('warn');
  });

  it('right before a bootstrap only what bootstrap cannot do without fails', () => {
    const verdicts = tools.map((one) => judgeTool(one, answer({ because: 'not-found' }), !one.bootstrapNeeds).verdict);
    expect(Object.fromEntries(tools.map(({ name }, index) => [name, verdicts[index]]))).toEqual({
      'ansible-playbook': 'warn',
      kubectl: 'warn',
      helm: 'fail',
      kubeseal: 'warn',
      jq: 'warn',
      yq: 'warn',
    });
  });
});

describe('pythonOf', () => {
  it('finds the interpreter that Ansible runs in', () => {
    expect(pythonOf(ansible('[core 2.19.4]'))).toBe('/opt/ansible/bin/python3');
    expect(pythonOf('ansible-playbook 2.9.27\n  python version = 2.7.18 (default, Jul 14 2021) [GCC 10.2.1]\n')).toBe(
      undefined,
    );
  });
});

describe('compareVersions', () => {
  it('compares by numbers, not by letters', () => {
    expect(compareVersions('1.10', '1.9')).toBeGreaterThan(0);
    expect(compareVersions('4.0', '4.0.0')).toBe(0);
    expect(compareVersions('v3.12.0-rc.1', '3.12')).toBe(0);
    expect(compareVersions('0.9.8', '0.24')).toBeLessThan(0);
  });
});

function judged(name: string, given: Partial<ToolAnswer>) {
  return judgeTool(tool(name), answer(given), false);
}

function answer(given: Partial<ToolAnswer>): ToolAnswer {
  return { because: 'ended', printed: '', path: undefined, ...given };
}

function tool(name: string): Tool {
  const found = tools.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  return found;
}

function kubectl(version: string): string {
  return `{
  "clientVersion": {
    "major": "1",
    "minor": "34",
    "gitVersion": "${version}",
    "gitCommit": "a1b2c3",
    "platform": "linux/amd64"
  },
  "kustomizeVersion": "v5.7.1"
}
`;
}

function ansible(version: string): string {
  return `ansible-playbook ${version}
  config file = None
  configured module search path = ['/home/somebody/.ansible/plugins/modules', '/usr/share/ansible/plugins/modules']
  ansible python module location = /opt/ansible/lib/python3.11/site-packages/ansible
  ansible collection location = /home/somebody/.ansible/collections:/usr/share/ansible/collections
  executable location = /opt/ansible/bin/ansible-playbook
  python version = 3.11.2 (main, Apr 28 2025, 14:11:48) [GCC 12.2.0] (/opt/ansible/bin/python3)
  jinja version = 3.1.6
  pyyaml version = 6.0.3 (with libyaml v0.2.5)
`;
}
