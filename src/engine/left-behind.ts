import type { Leftover } from '../core/run/events.ts';
import { inParallel } from './in-parallel.ts';
import type { LiveObject, ObjectReference, World } from './ports.ts';

/** Which of these objects are still there, and what keeps each: its finalizers, whose they are, and how to clear them. */
export async function leftBehind(
  world: World,
  objects: readonly ObjectReference[],
  signal: AbortSignal,
): Promise<readonly Leftover[]> {
  const left: Leftover[] = [];
  await inParallel(objects, async (object) => {
    const live = await world.objects.read(object, signal);
    if (live !== undefined) left.push(leftover(object, live));
  });
  left.sort((a, b) => (a.object < b.object ? -1 : 1));
  // What is blocked explains the rest: it comes first.
  return left.sort((a, b) => Number(b.hint !== undefined) - Number(a.hint !== undefined));
}

export function describeObject({ kind, namespace, name }: ObjectReference): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

export function referenceOf({ apiVersion, kind, metadata }: LiveObject): ObjectReference {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  return { group, kind, namespace: metadata.namespace, name: metadata.name };
}

export function leftover(reference: ObjectReference, live: LiveObject): Leftover {
  const object = describeObject(reference);
  const finalizers = live.metadata.finalizers ?? [];
  if (live.metadata.deletionTimestamp === undefined) return { object, because: 'nothing has deleted it' };
  if (finalizers.length === 0) return { object, because: 'it is being deleted' };
  return {
    object,
    because: `it waits for its finalizer ${finalizers.join(', ')}, which ${ownerOf(finalizers[0] ?? '')} must remove`,
    hint: `Make that controller run and mend what it complains about. Only if it is gone for good: kubectl patch ${reference.kind.toLowerCase()} ${reference.name}${
      reference.namespace === undefined ? '' : ` -n ${reference.namespace}`
    } --type=merge -p '{"metadata":{"finalizers":null}}'`,
  };
}

/** A finalizer is named after the domain of the controller that must act. */
function ownerOf(finalizer: string): string {
  if (finalizer === 'foregroundDeletion') return 'Kubernetes, when what it owns is gone,';
  const domain = finalizer.split('/')[0] ?? finalizer;
  return domain.includes('.') ? `the controller of ${domain}` : 'the controller that put it there';
}
