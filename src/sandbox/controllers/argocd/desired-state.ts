import { groupOf, type KubeObject } from '../../store/objects.ts';
import { withMeta } from '../../store/store.ts';
import { type Application, instanceName, type Source, sourcesOf, trackingAnnotation } from './application.ts';
import type { ArgoContext } from './argo-context.ts';
import { objectKey } from './object-key.ts';

/** What Git wants for one Application at one commit. */
export interface DesiredState {
  readonly objects: ReadonlyMap<string, DesiredObject>;
  /** One commit a source. */
  readonly revisions: readonly string[];
}

export interface DesiredObject {
  readonly key: string;
  readonly object: KubeObject;
  readonly wave: number;
  /** PreSync, Sync, PostSync; undefined for an ordinary object. */
  readonly hook: string | undefined;
}

export type Loaded = { readonly desired: DesiredState } | { readonly error: string; readonly revision: string };

/** Reads what Git holds for the Application, with the marks Argo CD puts on the objects. */
export function loadDesired(context: ArgoContext, application: Application, revision?: string): Loaded {
  const objects = new Map<string, DesiredObject>();
  const revisions: string[] = [];
  const sources = sourcesOf(application.spec);
  for (const [index, source] of sources.entries()) {
    const wanted = revision || source.targetRevision || 'HEAD';
    const read = readSource(context, source, wanted);
    if ('error' in read) {
      const which = `source ${index + 1} of ${sources.length}`;
      return {
        error: `Failed to load target state: failed to generate manifest for ${which}: ${read.error}`,
        revision: wanted,
      };
    }
    revisions.push(read.commit);
    for (const object of read.objects) {
      const made = marked(context, application, object);
      objects.set(made.key, made);
    }
  }
  return { desired: { objects, revisions } };
}

/** The commits the Application's sources mean now, without reading anything. */
export function resolveRevisions(context: ArgoContext, application: Application): string {
  return sourcesOf(application.spec)
    .map((source) => `${source.path ?? source.chart}@${commitOf(context, source, source.targetRevision) ?? '?'}`)
    .join();
}

function readSource(
  context: ArgoContext,
  source: Source,
  revision: string,
): { commit: string; objects: readonly KubeObject[] } | { error: string } {
  const commit = commitOf(context, source, revision);
  if (commit === undefined) {
    return { error: `rpc error: code = Unknown desc = unable to resolve '${revision}' to a commit SHA` };
  }
  if (source.ref !== undefined && source.path === undefined) return { commit, objects: [] };
  const content =
    source.chart === undefined
      ? context.git.read(source.path ?? '.', commit)
      : context.git.read(`${source.chart}-${commit}`, context.git.head);
  return 'error' in content ? content : { commit, objects: content.objects };
}

/** A chart's revision is its version, as it was asked for. */
function commitOf({ git }: ArgoContext, { chart }: Source, revision = 'HEAD'): string | undefined {
  return chart === undefined ? git.resolve(revision) : revision;
}

const waveAnnotation = 'argocd.argoproj.io/sync-wave';
const hookAnnotation = 'argocd.argoproj.io/hook';

function marked(context: ArgoContext, application: Application, raw: KubeObject): DesiredObject {
  // A kind nobody has defined yet counts as namespaced.
  const isNamespaced = context.typeOf(raw.apiVersion, raw.kind)?.namespaced ?? true;
  const namespace = raw.metadata.namespace ?? application.spec.destination.namespace ?? 'default';
  const placed = isNamespaced ? withMeta(raw, { namespace }) : raw;
  const key = objectKey(placed);
  const owner = instanceName(application, context.namespace).replace('/', '_');
  // Argo CD writes the namespace of the destination there even for cluster-wide objects.
  const id = `${owner}:${groupOf(raw.apiVersion)}/${raw.kind}:${namespace}/${raw.metadata.name}`;
  const annotations = { ...raw.metadata.annotations, [trackingAnnotation]: id };
  return {
    key,
    // A definition may serve many Applications: Argo CD marks none as its own.
    object: isDefinition(raw) ? placed : withMeta(placed, { annotations }),
    wave: Number(raw.metadata.annotations?.[waveAnnotation] ?? 0),
    hook: raw.metadata.annotations?.[hookAnnotation],
  };
}

function isDefinition({ apiVersion, kind }: KubeObject): boolean {
  return kind === 'CustomResourceDefinition' && groupOf(apiVersion) === 'apiextensions.k8s.io';
}

/** The Application an object says it belongs to. */
export function trackedBy(object: KubeObject): string | undefined {
  const id = object.metadata.annotations?.[trackingAnnotation];
  return id === undefined ? undefined : id.slice(0, id.indexOf(':')).replace('_', '/');
}

export function waveOf(object: KubeObject): number {
  return Number(object.metadata.annotations?.[waveAnnotation] ?? 0);
}

export function isHook(object: KubeObject): boolean {
  return object.metadata.annotations?.[hookAnnotation] !== undefined;
}
