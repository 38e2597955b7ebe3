import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { controlGroups, insideVariable, runApart } from './own-namespaces.ts';
import { findNetworkPlugins, findProgram } from './programs.ts';

const isInside = process.env[insideVariable] !== undefined;
const why = isInside ? undefined : whyNotHere();
if (why !== undefined) process.stderr.write(`no step runs in a pod of a real kubelet: ${why}\n`);

describe.runIf(!isInside && why === undefined)('a Workflow on a node with a real kubelet and a real containerd', () => {
  it('passes pods.test.ts, in namespaces of its own', { timeout: 1_800_000 }, async () => {
    // A short path: sockets are in it.
    const folder = mkdtempSync(join(tmpdir(), 'tk-'));
    try {
      expect(await runApart('test/real/kubelet/pods.test.ts', folder)).toBe(0);
    } finally {
      if (!process.env['TIPHYS_REAL_KUBELET_KEEP']) rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Everything that this needs and a machine may not have; README.md says where it comes from. */
function whyNotHere(): string | undefined {
  if (process.env['TIPHYS_REAL_KUBELET'] !== '1') return 'TIPHYS_REAL_KUBELET is not 1';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it takes root rights on Linux';
  const programs = ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc', 'kubelet', 'helm', 'ip', 'unshare'];
  const missing = programs.filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
  if (findNetworkPlugins() === undefined) return 'the CNI plugins are neither in CNI_PATH nor in /usr/lib/cni';
  if (!existsSync(join(process.env['TIPHYS_IMAGE'] ?? '', 'index.json')))
    return 'TIPHYS_IMAGE is no OCI layout of the executor image';
  if (!existsSync(process.env['TIPHYS_ARGOEXEC'] ?? '')) return 'TIPHYS_ARGOEXEC is no program';
  if (controlGroups().length > 0) return 'this machine has a kubelet already';
  const { status, stderr } = spawnSync('unshare', ['--net', '--mount', '--pid', '--fork', 'true'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `namespaces cannot be made here: ${stderr}`;
}
