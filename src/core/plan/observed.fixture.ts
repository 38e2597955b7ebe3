import { formatProblems } from '../platform/format-problems.ts';
import type { Platform } from '../platform/platform.ts';
import { readPlatform } from '../platform/read-platform.ts';
import type { Observed, ObservedApplication, ResourceRef } from './observed.ts';

export const commit = '1111111111111111111111111111111111111111';

const environmentText = `name: test
domain: example.com
gitRepository: https://git.example.com/platform.git
gitRevision: main
`;

/** A platform from the stacks of a dag.yaml. */
export function platformWith(stacks: string, environment: string = environmentText): Platform {
  const { platform, problems } = readPlatform({
    dag: { file: 'dag.yaml', text: `apiVersion: tiphys.dev/v1\nkind: Platform\nname: acme\nstacks:\n${stacks}` },
    environment: { file: 'environment.yaml', text: environment },
  });
  if (platform === undefined) throw new Error(formatProblems(problems));
  return platform;
}

/** An Application as it looks when everything about it is right. */
export function healthy(name: string, but: Partial<ObservedApplication> = {}): ObservedApplication {
  return {
    name,
    resourceVersion: '1',
    project: 'default',
    deleting: false,
    finalizers: ['resources-finalizer.argocd.argoproj.io'],
    refreshRequested: false,
    automated: true,
    madeBy: undefined,
    destinationNamespace: name,
    sources: [{ repository: 'https://git.example.com/platform.git', targetRevision: 'main' }],
    operation: undefined,
    lastOperation: {
      step: `${name}/1`,
      run: 'deploy-1',
      initiatedBy: 'tiphys',
      automated: false,
      selective: false,
      phase: 'Succeeded',
      message: 'successfully synced',
      startedAt: '2026-01-05T03:00:00Z',
      finishedAt: '2026-01-05T03:00:10Z',
      revision: commit,
    },
    sync: { status: 'Synced', revision: commit },
    health: { status: 'Healthy', message: undefined },
    reconciledAt: '2026-01-05T03:01:00Z',
    conditions: [],
    resources: [resource('Deployment', name, { group: 'apps' })],
    syncWave: undefined,
    hook: undefined,
    history: [{ revision: commit, deployedAt: '2026-01-05T03:00:10Z' }],
    ...but,
  };
}

export function resource(kind: string, name: string, but: Partial<ResourceRef> = {}): ResourceRef {
  return { group: '', version: 'v1', kind, namespace: 'apps', name, sync: 'Synced', hook: false, prune: false, ...but };
}

export function observed(...applications: readonly ObservedApplication[]): Observed {
  return {
    applications: new Map(applications.map((app) => [app.name, app])),
    projects: new Map(),
    checks: new Map(),
  };
}

/** What is observed when none of it is there yet. */
export const nothing: Observed = observed();
