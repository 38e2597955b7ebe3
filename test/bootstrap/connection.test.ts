import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ansible, findAnsible, here, withoutAnsible } from './ansible.ts';
import { scratchFolder } from './scratch.ts';

const isThere = findAnsible() !== undefined;
const patience = { timeout: 60_000 };

/** Shows how it was run, and ends in many ways. */
const probe = `
import atexit, os, signal, sys, tempfile
from ansible.module_utils.basic import AnsibleModule

def main():
    module = AnsibleModule(argument_spec={"do": {"type": "str"}, "secret": {"type": "str", "no_log": True}})
    do = module.params["do"]
    if do == "tell":
        module.exit_json(pid=os.getpid(), argv=len(sys.argv), stdin=sys.stdin.read(), given=module.params["secret"])
    if do == "look":
        module.exit_json(isWarm="ansible.plugins.connection" in sys.modules)
    if do == "much":
        module.exit_json(text="x" * 300000)
    if do == "warn":
        module.warn("beware")
        module.exit_json(said=True)
    if do == "complain":
        sys.stderr.write("y" * 300000)
        module.exit_json(said=True)
    if do.startswith("leave"):
        # As the client of Kubernetes does with keys.
        _, name = tempfile.mkstemp(prefix="key-")
        atexit.register(os.remove, name)
        if do.endswith("interrupted"):
            os.kill(os.getpid(), signal.SIGINT)
        module.exit_json(name=name)
    if do == "fail":
        module.fail_json(msg="no such luck", rc=3)
    if do == "raise":
        raise ValueError("not expected")
    if do == "die":
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    main()
`;

describe.runIf(isThere)(isThere ? 'the connection tiphys_local' : `the connection ${withoutAnsible}`, () => {
  it.each(['tell', 'much', 'warn', 'complain', 'fail', 'raise', 'die'])(
    'gives what local gives when a module has to %s',
    patience,
    (what) => {
      const [ours, usual] = [outcome('tiphys_local', what), outcome('local', what)];
      expect(ours.result).toEqual(usual.result);
      expect(ours.result).toMatchObject(expected[what as keyof typeof expected]);
    },
  );

  it('runs it in a copy of the worker that asks for it, and not in a new Python', patience, () => {
    // Only what has been in the process before is in it when the module begins.
    expect(outcome('tiphys_local', 'look').result).toMatchObject({ isWarm: true });
    expect(outcome('local', 'look').result).toMatchObject({ isWarm: false });
  });

  it('leaves a module that is not of a collection, like our own, to local', patience, () => {
    expect(outcome('tiphys_local', 'look', 'probe').result).toMatchObject({ isWarm: false });
  });

  it('lets the module clean up after itself, also when it is interrupted (R7.5)', patience, () => {
    for (const [what, end] of [
      ['leave', { name: expect.stringContaining('key-') }],
      ['leave and be interrupted', { failed: true }],
    ] as const) {
      const { folder, result } = outcome('tiphys_local', what);
      expect(result).toMatchObject(end);
      expect(readdirSync(folder).filter((name) => name.startsWith('key-'))).toEqual([]);
    }
  });

  it('is what the playbooks use, and what they use is imported once', () => {
    const { code, out } = ansible('ansible-config', ['dump', '--only-changed'], scratchFolder());
    expect(code).toBe(0);
    expect(out).toMatch(/CALLBACKS_ENABLED.*tiphys_warm/);
    const hosts = ansible('ansible-inventory', ['--host', 'localhost'], scratchFolder());
    expect(JSON.parse(hosts.out)).toMatchObject({ ansible_connection: 'tiphys_local' });
  });
});

/** How a module ended, as a task sees it, and the folder in which it could leave something. */
function outcome(connection: string, what: string, name = 'tiphys.test.probe') {
  const folder = scratchFolder({
    'ansible_collections/tiphys/test/plugins/modules/probe.py': probe,
    'library/probe.py': probe,
    'site.yml': JSON.stringify([{ hosts: 'localhost', gather_facts: false, tasks: tasksOf(name, what) }]),
  });
  const words = [join(folder, 'site.yml'), ...here(), '-c', connection, '-e', `seen_file=${join(folder, 'seen.json')}`];
  const more = { ANSIBLE_LIBRARY: join(folder, 'library'), ANSIBLE_COLLECTIONS_PATH: folder, TMPDIR: folder };
  const { code, out, err } = ansible('ansible-playbook', words, folder, more);
  expect(code, out + err).toBe(0);
  // A shell adds a word of its own to what a killed module said.
  const {
    exception: _trace,
    invocation: _given,
    pid: _pid,
    module_stderr: _shell,
    ...result
  } = JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8')) as Record<string, unknown>;
  return { folder, result };
}

function tasksOf(name: string, what: string): readonly object[] {
  return [
    { [name]: { do: what, secret: 'hunter2' }, register: 'seen', ignore_errors: true },
    { 'ansible.builtin.copy': { content: '{{ seen | to_json }}', dest: '{{ seen_file }}', mode: '0600' } },
  ];
}

const expected = {
  tell: { changed: false, argv: 1, stdin: '', given: 'VALUE_SPECIFIED_IN_NO_LOG_PARAMETER' },
  much: { text: 'x'.repeat(300_000) },
  warn: { said: true, warnings: ['beware'] },
  complain: { said: true },
  fail: { failed: true, msg: 'no such luck', rc: 3 },
  raise: { failed: true, msg: expect.stringContaining('not expected') },
  die: { failed: true },
};
