import type { KubeObject, ResourceType } from '../../store/objects.ts';
import { AlreadyExistsError, type Change, type Store, timestamp } from '../../store/store.ts';
import type { SandboxTime } from '../../time.ts';
import type { KindLookup } from '../kind-lookup.ts';

/** The name under which the ApplicationSet controller writes. */
const by = 'argocd-applicationset-controller';
const reactionMs = 30;
const cascade = 'resources-finalizer.argocd.argoproj.io';

interface World {
  readonly store: Store;
  readonly time: SandboxTime;
  readonly typeOf: KindLookup;
}

interface ApplicationSet extends KubeObject {
  readonly spec: {
    readonly generators?: readonly { readonly list?: { readonly elements?: readonly Element[] } }[];
    readonly template: { readonly metadata: { readonly name: string }; readonly spec: unknown };
  };
}

type Element = Readonly<Record<string, unknown>>;

/** Makes the Applications of ApplicationSets with a list generator, and makes them again. Returns how to stop it. */
export function startApplicationSets(world: World): () => void {
  const waiting = new Map<string, () => void>();
  const soon = (namespace: string, name: string): void => {
    const key = `${namespace}/${name}`;
    waiting.get(key)?.();
    const work = (): void => {
      waiting.delete(key);
      reconcile(world, namespace, name);
    };
    waiting.set(key, world.time.after(reactionMs, work));
  };
  const unsubscribe = world.store.subscribe((change) => {
    const { object } = change;
    const { namespace = '' } = object.metadata;
    const set = object.kind === 'ApplicationSet' ? object.metadata.name : ownerOfLost(change);
    if (set !== undefined && change.by !== by) soon(namespace, set);
  });
  return () => {
    unsubscribe();
    for (const cancel of waiting.values()) cancel();
  };
}

/** The set of an Application that has just gone. */
function ownerOfLost({ type, object }: Change): string | undefined {
  if (type !== 'DELETED' || object.kind !== 'Application') return undefined;
  return object.metadata.ownerReferences?.find(({ kind }) => kind === 'ApplicationSet')?.name;
}

function reconcile({ store, time, typeOf }: World, namespace: string, name: string): void {
  const setType = typeOf('argoproj.io/v1alpha1', 'ApplicationSet');
  const type = typeOf('argoproj.io/v1alpha1', 'Application');
  if (setType === undefined || type === undefined) return;
  // The API server has checked its shape against the definition.
  const set = store.get(setType, namespace, name) as ApplicationSet | undefined;
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
  const wanted = elementsOf(set).map((element) => made(set, element));
  for (const application of wanted) write(store, type, application);
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  for (const { metadata } of store.list(type, namespace)) {
    const isOurs = metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid) === true;
    if (isOurs && !names.has(metadata.name)) store.remove(type, namespace, metadata.name, by);
  }
  report(store, setType, { set, at: timestamp(time.now()) });
}

function elementsOf({ spec }: ApplicationSet): readonly Element[] {
  return (spec.generators ?? []).flatMap(({ list }) => list?.elements ?? []);
}

/** The template with `{{key}}` replaced everywhere, owned by the set. */
function made({ metadata, spec }: ApplicationSet, element: Element): KubeObject {
  const text = JSON.stringify(spec.template).replaceAll(/\{\{\s*\.?(\w+)\s*\}\}/g, (whole, key: string) => {
    return key in element ? JSON.stringify(String(element[key])).slice(1, -1) : whole;
  });
  // What was a template is one again: only texts within it have changed.
  const template = JSON.parse(text) as { metadata: { name: string }; spec: unknown };
  const owner = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      // Unless the set says otherwise, the objects go with their Application.
      finalizers: [cascade],
      ...template.metadata,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ownerReferences: [owner],
    },
    spec: template.spec,
  };
}

function write(store: Store, type: ResourceType, wanted: KubeObject): void {
  const { name, namespace } = wanted.metadata;
  const changed = store.change(type, namespace, name, by, (current) =>
    JSON.stringify(current['spec']) === JSON.stringify(wanted['spec']) ? current : { ...current, spec: wanted['spec'] },
  );
  if (changed !== undefined) return;
  try {
    store.create(type, wanted, by);
  } catch (error) {
    // One of this name that is still going away: its end brings us back here.
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
}

function report(store: Store, type: ResourceType, { set, at }: { set: ApplicationSet; at: string }): void {
  if (set['status'] !== undefined) return;
  const conditions = [
    { type: 'ErrorOccurred', status: 'False', reason: 'ApplicationSetUpToDate' },
    { type: 'ParametersGenerated', status: 'True', reason: 'ParametersGenerated' },
    { type: 'ResourcesUpToDate', status: 'True', reason: 'ApplicationSetUpToDate' },
  ].map((condition) => ({ ...condition, lastTransitionTime: at }));
  store.change(type, set.metadata.namespace, set.metadata.name, by, (current) => ({
    ...current,
    status: { conditions },
  }));
}
