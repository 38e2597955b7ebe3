import { groupOf, type KubeObject } from '../../store/objects.ts';

/** `apps/Deployment/default/web`: how Argo CD tells objects apart; the version does not matter. */
export function objectKey(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return `${groupOf(object.apiVersion)}/${object.kind}/${namespace ?? ''}/${name}`;
}

export function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}
