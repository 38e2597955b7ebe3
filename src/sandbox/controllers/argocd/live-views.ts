import type { KubeObject } from '../../store/objects.ts';
import type { Change } from '../../store/store.ts';
import type { ArgoContext } from './argo-context.ts';
import { trackedBy } from './desired-state.ts';
import { installedCheck } from './installed-checks.ts';
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

export interface ViewListeners {
  /** The cache shows something new. */
  readonly onView: (application: string) => void;
  /** An object has changed; the cache does not know yet. */
  readonly onObject: (application: string) => void;
}

/** Starts with what carries a mark already. */
export function createLiveViews(context: ArgoContext, listeners: ViewListeners): LiveViews {
  const all: AllViews = { context, listeners, views: new Map(), tracked: new Map(), interest: new Map() };
  return {
    of: (application) => viewOf(all, application),
    want: (application, keys, find) => want(all, viewOf(all, application), { application, keys, find }),
    observe: (change) => observe(all, change),
    forget: (application) => forget(all, application),
    marked: (application) => all.tracked.get(application) ?? new Map(),
    cached: (application) =>
      new Map([...viewOf(all, application).objects].filter(([, object]) => trackedBy(object) === application)),
  };
}

interface AllViews {
  readonly context: ArgoContext;
  readonly listeners: ViewListeners;
  readonly views: Map<string, View>;
  /** Application → the objects that carry its mark. */
  readonly tracked: Map<string, Map<string, KubeObject>>;
  /** Object → the Applications that follow it, with or without a mark. */
  readonly interest: Map<string, Set<string>>;
}

interface View extends LiveView {
  readonly pending: Map<string, KubeObject | undefined>;
  readonly wanted: Set<string>;
  cancelFlush: (() => void) | undefined;
  /** Something that is under way carries the Application's mark. */
  hasNews: boolean;
}

function viewOf({ views, tracked }: AllViews, application: string): View {
  const known = views.get(application);
  if (known !== undefined) return known;
  const objects = new Map(tracked.get(application) ?? []);
  const dirty = new Set(objects.keys());
  const view: View = { objects, dirty, pending: new Map(), wanted: new Set(), cancelFlush: undefined, hasNews: false };
  views.set(application, view);
  return view;
}

function want(
  { interest }: AllViews,
  view: View,
  what: { application: string; keys: Iterable<string>; find: (key: string) => KubeObject | undefined },
): void {
  for (const key of what.keys) {
    if (view.wanted.has(key)) continue;
    view.wanted.add(key);
    interest.set(key, (interest.get(key) ?? new Set<string>()).add(what.application));
    const object = view.objects.has(key) ? undefined : what.find(key);
    if (object !== undefined) view.objects.set(key, object);
  }
}

function observe(all: AllViews, change: Change): void {
  const key = objectKey(change.object);
  const owner = trackedBy(change.object);
  const wanted = all.interest.get(key);
  if (owner === undefined && wanted === undefined) return;
  const object = change.type === 'DELETED' ? undefined : change.object;
  if (owner !== undefined) track(all, owner, key, object);
  if (isOnlyStatusOfChild(all.context, change)) return;
  const followers = new Set(wanted);
  if (owner !== undefined) followers.add(owner);
  // Argo CD goes by the mark: what carries none (a definition) is compared, but its changes wake nobody.
  for (const application of followers) follow(all, application, { key, object, isNoticed: application === owner });
}

function track({ tracked }: AllViews, application: string, key: string, object: KubeObject | undefined): void {
  const own = tracked.get(application) ?? new Map<string, KubeObject>();
  if (object === undefined) own.delete(key);
  else tracked.set(application, own.set(key, object));
}

/** The change is under way to the cache; what changes until it arrives goes with it. */
function follow(
  all: AllViews,
  application: string,
  { key, object, isNoticed }: { key: string; object: KubeObject | undefined; isNoticed: boolean },
): void {
  const view = all.views.get(application);
  if (view === undefined) return;
  all.listeners.onObject(application);
  view.pending.set(key, object);
  view.hasNews ||= isNoticed;
  const { time, timing } = all.context;
  view.cancelFlush ??= time.after(timing.cacheLag(application), () => {
    const { hasNews } = view;
    flush(view);
    if (hasNews) all.listeners.onView(application);
  });
}

function flush(view: View): void {
  view.cancelFlush = undefined;
  view.hasNews = false;
  for (const [key, object] of view.pending) {
    if (object === undefined) view.objects.delete(key);
    else view.objects.set(key, object);
    view.dirty.add(key);
  }
  view.pending.clear();
}

function forget({ views, interest }: AllViews, application: string): void {
  const view = views.get(application);
  view?.cancelFlush?.();
  views.delete(application);
  for (const key of view?.wanted ?? []) {
    const followers = interest.get(key);
    followers?.delete(application);
    if (followers?.size === 0) interest.delete(key);
  }
}

/** A child's operation or reconciliation time cannot change its parent's verdict; its health may. */
function isOnlyStatusOfChild(context: ArgoContext, { type, resource, previous, object }: Change): boolean {
  if (type !== 'MODIFIED' || resource.kind !== 'Application' || previous === undefined) return false;
  const before = previous.metadata;
  const after = object.metadata;
  return (
    previous['spec'] === object['spec'] &&
    healthOf(context, previous) === healthOf(context, object) &&
    before.labels === after.labels &&
    before.annotations === after.annotations &&
    before.deletionTimestamp === after.deletionTimestamp
  );
}

function healthOf(context: ArgoContext, object: KubeObject): string | undefined {
  const status = object['status'] as { health?: { status?: string } } | undefined;
  return `${status?.health?.status} ${installedCheck(context)('argoproj.io/Application', object)}`;
}
