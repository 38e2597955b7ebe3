import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes the folder with every tool that preflight asks for: programs that print what the real ones print, and the real git. */
export function standInTools(bin: string): string {
  mkdirSync(bin);
  const python = join(bin, 'python3');
  const collections = ['kubernetes.core', 'community.general', 'ansible.posix', 'ansible.utils'];
  const listed = { '/opt/collections': Object.fromEntries(collections.map((name) => [name, { version: '9.0.0' }])) };
  const versions = { kubernetes: '34.1.0', openshift: '0.13.2', pyyaml: '6.0.3', jsonpatch: '1.33' };
  const ansible = `ansible-playbook [core 2.19.4]\n  python version = 3.11.2 (main) [GCC 12.2.0] (${python})`;
  standIn(bin, 'ansible-playbook', ansible);
  standIn(bin, 'ansible-galaxy', JSON.stringify(listed));
  standIn(bin, 'python3', JSON.stringify(versions));
  standIn(bin, 'kubectl', '{ "clientVersion": { "gitVersion": "v1.34.1" } }');
  standIn(bin, 'helm', 'v3.21.4+g7e2b1d5');
  standIn(bin, 'kubeseal', 'kubeseal version: 0.36.6');
  standIn(bin, 'jq', 'jq-1.7.1');
  standIn(bin, 'yq', 'yq (https://github.com/mikefarah/yq/) version v4.44.3');
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeProgram(bin, 'git', `exec ${git} "$@"`);
  return bin;
}

/** A program that prints this. */
export function standIn(bin: string, name: string, text: string): void {
  const line = text.replaceAll('\n', '\\n');
  writeProgram(bin, name, `read -r text <<'END'\n${line}\nEND\nprintf '%b\\n' "$text"`);
}

function writeProgram(bin: string, name: string, script: string): void {
  const file = join(bin, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}
