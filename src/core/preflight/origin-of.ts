import type { LabelledObject } from './cluster-snapshot.ts';

/**
 * Whose an object is that was not there before the platform came. `standing`: of an app that is still there; `retained`: of the platform,
 * and kept whatever becomes of its apps.
 */
export type Origin = 'standing' | 'retained' | 'platform' | 'bootstrap' | 'others';

export interface Owners {
  readonly platform: string;
  /** Every Application of the platform, parents included: `name`, or `namespace/name`. */
  readonly applications: ReadonlySet<string>;
  /** Those of them that are still there. */
  readonly standing: ReadonlySet<string>;
  /** Namespaces in which they still have something. */
  readonly inUse: ReadonlySet<string>;
  /** Namespaces that a teardown of this platform was to empty. */
  readonly emptied: ReadonlySet<string>;
  /** Namespaces of what a bootstrap installs. */
  readonly homes: ReadonlySet<string>;
  /** PersistentVolumes by name: what they are for is not written on them. */
  readonly volumes: ReadonlyMap<string, Volume>;
}

export interface Volume {
  /** Of the claim that has, or had it. */
  readonly namespace: string | undefined;
  /** It outlives its claim. */
  readonly isRetained: boolean;
}

/** Set on namespaces and definitions before a teardown. */
const mark = 'tiphys.dev/platform';

/** Namespaces that bear the mark of this platform's teardown. */
export function emptiedNamespaces(objects: readonly LabelledObject[], platform: string): ReadonlySet<string> {
  const marked = objects.filter((object) => isNamespace(object) && object.labels[mark] === platform);
  return new Set(marked.map(({ name }) => name));
}

/** By what stands on the object, then by where it is. */
export function originOf(object: LabelledObject, owners: Owners): Origin {
  const application = isApplication(object) ? applicationName(object, owners) : trackedBy(object);
  if (application !== undefined) return ofApplication(application, owners);
  // Before the mark: where an app of the platform lived beside it, its namespace was to be emptied, too.
  return isOfBootstrap(object, owners.homes) ? 'bootstrap' : byPlace(object, owners);
}

function ofApplication(application: string, { applications, standing }: Owners): Origin {
  if (!applications.has(application)) return 'others';
  return standing.has(application) ? 'standing' : 'platform';
}

function byPlace(object: LabelledObject, { platform, inUse, emptied, volumes }: Owners): Origin {
  const volume = isVolume(object) ? volumes.get(object.name) : undefined;
  const place = volume?.namespace ?? placeOf(object);
  if (inUse.has(place)) return 'standing';
  if (volume?.isRetained === true) return 'retained';
  if (object.labels[mark] === platform) return isDefinition(object) ? 'retained' : 'platform';
  return emptied.has(place) ? 'platform' : 'others';
}

/** Every namespace gets these, and they go with it. */
export function isFurniture({ kind, group, name }: LabelledObject): boolean {
  if (group !== '') return false;
  return (kind === 'ServiceAccount' && name === 'default') || (kind === 'ConfigMap' && name === 'kube-root-ca.crt');
}

function isNamespace({ group, kind }: LabelledObject): boolean {
  return group === '' && kind === 'Namespace';
}

function isVolume({ group, kind }: LabelledObject): boolean {
  return group === '' && kind === 'PersistentVolume';
}

function isDefinition({ kind }: LabelledObject): boolean {
  return kind === 'CustomResourceDefinition';
}

function isApplication({ group, kind }: LabelledObject): boolean {
  return group === 'argoproj.io' && kind === 'Application';
}

/** Under both names: which namespace is Argo CD's own does not matter here. */
function applicationName({ namespace, name }: LabelledObject, { applications }: Owners): string {
  const long = `${namespace}/${name}`;
  return applications.has(long) ? long : name;
}

/** Argo CD writes on what it manages which Application it belongs to; `namespace_name` outside of its own namespace. */
function trackedBy({ annotations }: LabelledObject): string | undefined {
  return annotations['argocd.argoproj.io/tracking-id']?.split(':', 1)[0]?.replace('_', '/');
}

/** A namespace is where it says; what is in none is nowhere. */
function placeOf(object: LabelledObject): string {
  return (isNamespace(object) ? object.name : object.namespace) ?? '';
}

/** Charts are installed by Helm, which says where to; the rest is named as the roles name it. */
function isOfBootstrap(object: LabelledObject, homes: Owners['homes']): boolean {
  const { group, namespace, name, labels, annotations } = object;
  if (homes.has(placeOf(object)) || homes.has(annotations['meta.helm.sh/release-namespace'] ?? '')) return true;
  if (namespace !== undefined) return false;
  if (labels['app.kubernetes.io/managed-by'] === 'tiphys') return true;
  const isRole = group === 'rbac.authorization.k8s.io' && /^tiphys-(deploy|validate|teardown)$/.test(name);
  return isRole || /\.(argoproj\.io|bitnami\.com)$/.test(name);
}
