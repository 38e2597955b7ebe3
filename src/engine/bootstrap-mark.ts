import type { Platform } from '../core/platform/platform.ts';
import { bootstrapHomes } from '../core/preflight/bootstrap-homes.ts';
import type { World } from './ports.ts';

/** What a bootstrap has left in the cluster about itself. */
export interface BootstrapMark {
  /** The namespaces that it has installed into, whatever they were called then. */
  readonly homes: readonly string[];
}

/** undefined: nobody has bootstrapped this cluster, or not with Tiphys. */
export async function readBootstrapMark(
  { objects }: Pick<World, 'objects'>,
  { environment }: Platform,
  signal: AbortSignal,
): Promise<BootstrapMark | undefined> {
  const place = { group: '', kind: 'ConfigMap', namespace: environment.argocdNamespace, name: 'tiphys-bootstrap' };
  const mark = await objects.read(place, signal);
  if (mark === undefined) return undefined;
  const { namespaces = '' } = (mark['data'] ?? {}) as { readonly namespaces?: string };
  // Marks of the first releases do not tell: then it is where the environment says.
  return { homes: [...new Set([...bootstrapHomes(environment), ...namespaces.split(/\s+/).filter(Boolean)])] };
}
