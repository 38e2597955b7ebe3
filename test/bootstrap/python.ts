import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bootstrap, findAnsible } from './ansible.ts';

/** A Python to try the plugins with: Ansible's own if there is one, because some of them use it. */
export function findPython(): string | undefined {
  const candidates = [join(findAnsible() ?? '', 'python3'), 'python3'];
  return candidates.find((python) => spawnSync(python, ['-c', 'pass']).status === 0);
}

const program = `
import importlib.util, json, sys
path, name, words = sys.argv[1], sys.argv[2], json.loads(sys.stdin.read())
spec = importlib.util.spec_from_file_location("plugin", path)
plugin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plugin)
try:
    print(json.dumps({"value": plugin.FilterModule().filters()[name](*words)}))
except Exception as error:
    print(json.dumps({"error": str(error)}))
`;

/** What a filter of bootstrap/filter_plugins makes of these arguments. */
export function filter(file: string, name: string, ...words: readonly unknown[]): { value?: unknown; error?: string } {
  const path = join(bootstrap, 'filter_plugins', `${file}.py`);
  const { stdout, stderr } = spawnSync(findPython() ?? 'python3', ['-B', '-c', program, path, name], {
    input: JSON.stringify(words),
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(`the filter ${name} did not run: ${stderr}`);
  return JSON.parse(stdout) as { value?: unknown; error?: string };
}
