import { spawn } from 'node:child_process';
import { stringify } from 'yaml';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { TestbedError } from './testbed-error.ts';

/** kubectl as the testbed's administrator; answers what it printed. */
export type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

export function createKubectl(program: string, kubeconfig: string): Kubectl {
  return (args, input) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, [`--kubeconfig=${kubeconfig}`, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      child.once('error', reject);
      child.once('close', (code) => {
        if (code === 0) return resolve(Buffer.concat(out).toString());
        const said = Buffer.concat(err).toString().trim();
        reject(new TestbedError(`kubectl ${args.slice(0, 2).join(' ')} failed: ${said}`, 'Is the testbed up?'));
      });
      child.stdin.end(input ?? '');
    });
}

/** Server-side apply, ours by force: what is there already stays as it is. */
export async function apply(kubectl: Kubectl, objects: readonly KubeObject[]): Promise<void> {
  // kubectl reads an older YAML, in which a bare `yes` is a boolean.
  const text = objects
    .map((object) => stringify(object, { aliasDuplicateObjects: false, compat: 'yaml-1.1' }))
    .join('---\n');
  await kubectl(['apply', '--server-side', '--force-conflicts', '--field-manager=testbed', '-f', '-'], text);
}
