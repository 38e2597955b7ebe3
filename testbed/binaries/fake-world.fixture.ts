import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ArgoCdLine } from '../testbed.ts';
import { type BinariesWanted, findBinaries } from './find-binaries.ts';

/** A home, a folder of tools that is all of PATH, and what was reported. */
export interface FakeWorld {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly reported: string[];
  find(argocd?: ArgoCdLine): ReturnType<typeof findBinaries>;
  wanted(argocd?: ArgoCdLine): BinariesWanted;
  /** What the fake Go was called with, one line a call. */
  goCalls(): Promise<string[]>;
}

/** A machine with nothing on it but a shell. */
export async function fakeWorld(env: NodeJS.ProcessEnv = {}): Promise<FakeWorld> {
  const home = await mkdtemp(join(tmpdir(), 'tiphys-binaries-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await mkdir(`${home}/tools`);
  for (const tool of ['sh', 'basename', 'dirname', 'cat', 'cp', 'sed', 'sleep']) {
    await symlink(`/bin/${tool}`, `${home}/tools/${tool}`);
  }
  const reported: string[] = [];
  const wanted = (argocd: ArgoCdLine = '3.5') => ({
    argocd,
    env: { HOME: home, PATH: `${home}/tools`, ...env },
    report: (line: string) => void reported.push(line),
  });
  return {
    home,
    env: wanted().env,
    reported,
    wanted,
    find: (argocd) => findBinaries(wanted(argocd)),
    goCalls: () =>
      readFile(`${home}/go.log`, 'utf8').then(
        (log) => log.trim().split('\n'),
        () => [],
      ),
  };
}

/** Puts a Go into PATH that "builds" by copying one script that plays every program. */
export async function installGo(world: FakeWorld, { version = 'go1.26.8', argocd = '3.5.3' } = {}): Promise<void> {
  await script(`${world.home}/program`, program({ argocd }));
  await script(
    `${world.home}/tools/go`,
    `echo "$*" >> ${world.home}/go.log
case "$1" in
  env) printf '${version}\\nlinux\\namd64\\n' ;;
  build) while [ "$1" != -o ]; do shift; done; sleep 0.05; cp ${world.home}/program "$2" ;;
  mod) cat ${world.home}/download.json ;;
esac`,
  );
}

/** Fills a folder with programs as a set that was built elsewhere has them: both lines of Argo CD side by side. */
export async function prebuilt(folder: string, others: { etcd?: string } = {}): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of ['etcd', 'kube', 'kwok', 'workflow-controller', 'helm']) {
    await script(join(folder, name), program({ argocd: '', ...others }));
  }
  await script(join(folder, 'argocd'), program({ argocd: '3.4.6' }));
  await script(join(folder, 'argocd-3.5.3'), program({ argocd: '3.5.3' }));
  return folder;
}

export async function script(file: string, text: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o755);
}

function program({ argocd, etcd = '3.6.14' }: { argocd: string; etcd?: string }): string {
  return `case "$(basename "$0") $1" in
  "etcd --version") echo "etcd Version: ${etcd}" ;;
  "kube-apiserver --version") echo "Kubernetes v1.34.11" ;;
  "kubectl version") echo "Client Version: v1.34.11"; echo "Kustomize Version: v5.7.1" ;;
  "kubectl kustomize") echo "kubectl was asked: $*" ;;
  "kwok --version") echo "kwok version v0.8.0 go1.26.8 (linux/amd64)" ;;
  "workflow-controller version") echo "workflow-controller: v4.1.4+unknown" ;;
  "helm version") echo 'version.BuildInfo{Version:"v3.21.4", GitCommit:""}' ;;
  "kustomize version") echo v5.8.1 ;;
  "argocd version") echo "argocd: v${argocd}+unknown" ;;
  *) echo "nobody knows $0 $*" >&2; exit 1 ;;
esac`;
}
