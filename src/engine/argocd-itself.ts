import type { ResourceRef } from '../core/plan/observed.ts';
import type { Platform } from '../core/platform/platform.ts';
import { isCrd } from './left-definitions.ts';
import type { LiveObject } from './ports.ts';

/** Without them Argo CD forgets what it was about to remove. */
const definitions = new Set(['applications', 'appprojects', 'applicationsets'].map((kind) => `${kind}.argoproj.io`));

/** Whether an object is part of the very Argo CD that does the removing; an Argo CD may be an app of the platform that it manages. */
export function isArgocdItself(platform: Platform, object: ResourceRef, live: LiveObject): boolean {
  if (isCrd(object)) return isArgocdDefinition(object);
  const { argocdNamespace } = platform.environment;
  const isHere = object.namespace === undefined || object.namespace === argocdNamespace;
  return isHere && live.metadata.labels?.['app.kubernetes.io/part-of'] === 'argocd';
}

function isArgocdDefinition(object: ResourceRef): boolean {
  return isCrd(object) && definitions.has(object.name);
}

export const keptForArgocd = 'it is part of the Argo CD that removes all the rest';
