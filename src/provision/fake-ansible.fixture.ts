import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FakeAnsible {
  readonly core?: string;
  readonly collection?: string | undefined;
  /** What its Python says when it is asked for the packages. */
  readonly packages?: 'there' | 'missing';
  /** A script of Node's that plays the playbook. */
  readonly play?: string;
}

/** Puts an ansible-playbook, an ansible-galaxy and their Python into a folder. */
export function fakeAnsible(folder: string, fake: FakeAnsible = {}): void {
  const { core = '2.19.4', collection = '6.2.0', packages = 'there', play = '/nonexistent' } = fake;
  mkdirSync(folder, { recursive: true });
  const list = JSON.stringify({ '/x/ansible_collections': { 'kubernetes.core': { version: collection } } });
  program(folder, 'ansible-galaxy', collection === '' ? 'echo "ERROR! unable to find" >&2; exit 1' : `echo '${list}'`);
  program(folder, 'ansible-python', packages === 'there' ? 'exit 0' : 'echo "No module named kubernetes" >&2; exit 1');
  program(
    folder,
    'ansible-playbook',
    `if [ "$1" = --version ]; then
  echo "ansible-playbook [core ${core}]"
  echo "  python version = 3.11.7 (main, Jan  1 2026, 00:00:00) [GCC 12.2.0] (${folder}/ansible-python)"
  exit 0
fi
exec ${process.execPath} ${play} "$@"`,
  );
}

export type PythonTrouble = 'none' | 'no-venv' | 'network' | 'hashes' | 'old';

/** Puts a python3 into a folder that makes environments whose pip installs a fake Ansible; it notes each environment in `made`. */
export function fakePython(folder: string, trouble: PythonTrouble = 'none'): void {
  const template = join(folder, 'template');
  fakeAnsible(template);
  program(
    folder,
    'python3',
    `here=$(dirname "$0")
case "$1 $2" in
  "-c "*) echo ${trouble === 'old' ? '3.9' : '3.11'} ;;
  "-m venv")
    ${trouble === 'no-venv' ? 'echo "ensurepip is not available" ; exit 1' : ''}
    mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && echo "$3" >> ${folder}/made ;;
  "-m pip")
    ${troubles[trouble]}
    cp ${template}/* "$here" ;;
esac`,
  );
}

const troubles: Readonly<Record<PythonTrouble, string>> = {
  none: '',
  old: '',
  'no-venv': '',
  network: 'echo "ERROR: Could not find a version that satisfies the requirement ansible==12.3.0" >&2; exit 1',
  hashes: 'echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE." >&2; exit 1',
};

function program(folder: string, name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, { mode: 0o755 });
}
