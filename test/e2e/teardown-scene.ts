import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { paths } from '../../src/sandbox/world/applications.ts';
import type { Bench } from '../harness.ts';
import { objects } from './look.ts';

/** As if somebody had committed it; the other objects of this path stay. */
export function addToGit(on: Bench, path: string, object: object): void {
  const { git } = on.sandbox.world;
  const content = git.read(path, git.head);
  if ('error' in content) throw new Error(content.error);
  git.commit(new Map([[path, [...content.objects, object as KubeObject]]]));
}

export function claims(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
}

export function claim(name: string, namespace: string): object {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name, namespace }, spec };
}

export function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

/** The volume that was made for this claim, if it is still there. */
export function volumeOf(on: Bench, name: string): string {
  const found = [...objects(on).values()].find(
    (object) =>
      object.kind === 'PersistentVolume' &&
      (object['spec'] as { claimRef?: { name?: string } } | undefined)?.claimRef?.name === name,
  );
  if (found === undefined) throw new Error(`the volume of ${name} is gone`);
  return found.metadata.name;
}

export function strangerLike(application: KubeObject | undefined): object {
  const spec = application?.['spec'] as { source: object };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'stranger', namespace: 'argocd' },
    spec: { ...spec, project: 'default', source: { ...spec.source, path: paths.app('web') } },
  };
}

export function held(on: Bench): string[] {
  const projects = [...objects(on).values()].filter(({ kind }) => kind === 'AppProject');
  const windows = projects.flatMap(
    ({ spec }) => (spec as { syncWindows?: { applications?: string[] }[] } | undefined)?.syncWindows ?? [],
  );
  return [...new Set(windows.flatMap(({ applications = [] }) => applications))].sort();
}
