import type { KubeObject } from '../../store/objects.ts';
import type { Change } from '../../store/store.ts';
import type { ArgoContext } from './argo-context.ts';
import { trackedBy } from './desired-state.ts';
import { objectKey } from './object-key.ts';

/** What Argo CD's cache shows of the cluster for one Application: the objects Git wants and those marked as its own, a little late. */
export interface LiveView {
  readonly objects: Map<string, KubeObject>;
  /** Keys whose object is another one than at the last comparison. */
  readonly dirty: Set<string>;
}

export interface LiveViews {
  of(application: string): LiveView;
  /** Follows these objects, too, though they may not carry the Application's mark. */
  want(application: string, keys: Iterable<string>, find: (key: string) => KubeObject | undefined): void;
  observe(change: Change): void;
  forget(application: string): void;
  /** The objects that carry the Application's mark right now, without delay. */
  marked(application: string): ReadonlyMap<string, KubeObject>;
  /** The same as the cache shows them. */
  cached(application: string): ReadonlyMap<string, KubeObject>;
}

interface View extends LiveView {
  readonly pending: Map<string, KubeObject | undefined>;
  readonly wanted: Set<string>;
  cancelFlush: (() => void) | undefined;
}

export function createLiveViews(
  context: ArgoContext,
  listeners: { onView: (application: string) => void; onObject: (application: string) => void },
): LiveViews {
  const views = new Map<string, View>();
  const tracked = new Map<string, Map<string, KubeObject>>();
  const interest = new Map<string, Set<string>>();

  function of(application: string): View {
    const known = views.get(application);
    if (known !== undefined) return known;
    const objects = new Map(tracked.get(application) ?? []);
    const view: View = {
      objects,
      dirty: new Set(objects.keys()),
      pending: new Map(),
      wanted: new Set(),
      cancelFlush: undefined,
    };
    views.set(application, view);
    return view;
  }

  function follow(application: string, key: string, object: KubeObject | undefined): void {
    const view = views.get(application);
    if (view === undefined) return;
    listeners.onObject(application);
    view.pending.set(key, object);
    view.cancelFlush ??= context.time.after(context.timing.cacheLag(application), () => {
      view.cancelFlush = undefined;
      for (const [changed, latest] of view.pending) {
        if (latest === undefined) view.objects.delete(changed);
        else view.objects.set(changed, latest);
        view.dirty.add(changed);
      }
      view.pending.clear();
      listeners.onView(application);
    });
  }

  function track(application: string, key: string, object: KubeObject | undefined): void {
    if (object === undefined) {
      tracked.get(application)?.delete(key);
      return;
    }
    const own = tracked.get(application) ?? new Map<string, KubeObject>();
    tracked.set(application, own.set(key, object));
  }

  function observe(change: Change): void {
    const key = objectKey(change.object);
    if (isOutrun(change)) return;
    const owner = trackedBy(change.object);
    const wanted = interest.get(key);
    if (owner === undefined && wanted === undefined) return;
    const object = change.type === 'DELETED' ? undefined : change.object;
    if (owner !== undefined) track(owner, key, object);
    if (isOnlyStatusOfChild(change)) return;
    if (owner !== undefined && !wanted?.has(owner)) follow(owner, key, object);
    if (wanted !== undefined) for (const application of wanted) follow(application, key, object);
  }

  /** A listener before us answered the change with a change of its own, which we have seen already. */
  function isOutrun({ revision, resource, object }: Change): boolean {
    const { namespace, name, resourceVersion } = object.metadata;
    if (resourceVersion !== String(revision)) return false;
    const current = context.store.get(resource, namespace, name);
    return current !== undefined && current.metadata.resourceVersion !== resourceVersion;
  }

  return {
    of,
    observe,
    want(application, keys, find) {
      const view = of(application);
      for (const key of keys) {
        if (view.wanted.has(key)) continue;
        view.wanted.add(key);
        interest.set(key, (interest.get(key) ?? new Set<string>()).add(application));
        if (view.objects.has(key)) continue;
        const object = find(key);
        if (object !== undefined) view.objects.set(key, object);
      }
    },
    forget(application) {
      const view = views.get(application);
      view?.cancelFlush?.();
      views.delete(application);
      for (const key of view?.wanted ?? []) {
        const followers = interest.get(key);
        followers?.delete(application);
        if (followers?.size === 0) interest.delete(key);
      }
    },
    marked: (application) => tracked.get(application) ?? new Map(),
    cached: (application) =>
      new Map([...of(application).objects].filter(([, object]) => trackedBy(object) === application)),
  };
}

/** A child's operation or reconciliation time cannot change its parent's verdict; its health may. */
function isOnlyStatusOfChild({ type, resource, previous, object }: Change): boolean {
  if (type !== 'MODIFIED' || resource.kind !== 'Application' || previous === undefined) return false;
  const before = previous.metadata;
  const after = object.metadata;
  return (
    previous['spec'] === object['spec'] &&
    healthOf(previous) === healthOf(object) &&
    before.labels === after.labels &&
    before.annotations === after.annotations &&
    before.deletionTimestamp === after.deletionTimestamp
  );
}

function healthOf(object: KubeObject): string | undefined {
  const status = object['status'] as { health?: { status?: string } } | undefined;
  return status?.health?.status;
}
