import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { controlGroups, insideVariable, runApart } from './own-namespaces.ts';
import { findNetworkPlugins, findProgram } from './programs.ts';

const isInside = process.env[insideVariable] !== undefined;
const whyNone = isInside ? undefined : whyNoNode();

describe
  .runIf(!isInside)
  .sequential('on a node with a real kubelet and a real containerd, in namespaces of its own', () => {
    for (const [file, why] of [
      ['preflight.test.ts', whyNone ?? missing('busybox', 'curl', 'ldd')],
      ['pods.test.ts', whyNone ?? missing('helm') ?? whyNoExecutor()],
    ] as const) {
      if (why !== undefined && !isInside) process.stderr.write(`${file} sees no real kubelet: ${why}\n`);
      it.skipIf(why !== undefined)(`passes ${file}`, { timeout: 1_800_000 }, async () => {
        // A short path: sockets are in it.
        const folder = mkdtempSync(join(tmpdir(), 'tk-'));
        try {
          expect(await runApart(`test/real/kubelet/${file}`, folder)).toBe(0);
        } finally {
          if (!process.env['TIPHYS_REAL_KUBELET_KEEP']) rmSync(folder, { recursive: true, force: true });
        }
      });
    }
  });

/** Everything that this needs and a machine may not have; README.md says where it comes from. */
function whyNoNode(): string | undefined {
  if (process.env['TIPHYS_REAL_KUBELET'] !== '1') return 'TIPHYS_REAL_KUBELET is not 1';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it takes root rights on Linux';
  const lacking = missing('containerd', 'containerd-shim-runc-v2', 'ctr', 'runc', 'kubelet', 'ip', 'unshare');
  if (lacking !== undefined) return lacking;
  if (findNetworkPlugins() === undefined) return 'the CNI plugins are neither in CNI_PATH nor in /usr/lib/cni';
  if (controlGroups().length > 0) return 'this machine has a kubelet already';
  const { status, stderr } = spawnSync('unshare', ['--net', '--mount', '--pid', '--fork', 'true'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `namespaces cannot be made here: ${stderr}`;
}

/** What only the steps of a Workflow need. */
function whyNoExecutor(): string | undefined {
  if (!existsSync(join(process.env['TIPHYS_IMAGE'] ?? '', 'index.json')))
    return 'TIPHYS_IMAGE is no OCI layout of the executor image';
  return existsSync(process.env['TIPHYS_ARGOEXEC'] ?? '') ? undefined : 'TIPHYS_ARGOEXEC is no program';
}

function missing(...programs: readonly string[]): string | undefined {
  const lacking = programs.filter((program) => findProgram(program) === undefined);
  if (lacking.length === 0) return undefined;
  return `${lacking.join(', ')} ${lacking.length === 1 ? 'is' : 'are'} missing`;
}
