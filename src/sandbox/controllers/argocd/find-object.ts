import type { KubeObject } from '../../store/objects.ts';
import type { ArgoContext } from './argo-context.ts';

/** The live object with this identity, if its kind is served and it is there. */
export function findObject(context: ArgoContext, object: KubeObject): KubeObject | undefined {
  const type = context.typeOf(object.apiVersion, object.kind);
  if (type === undefined) return undefined;
  return context.store.get(type, type.namespaced ? object.metadata.namespace : undefined, object.metadata.name);
}
