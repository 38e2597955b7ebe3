import { groupOf, type KubeObject } from '../../store/objects.ts';
import { type Application, sourcesOf } from './application.ts';
import type { ArgoContext } from './argo-context.ts';
import { matchesGlob } from './glob.ts';

/** An AppProject as the controller reads it. */
export interface Project extends KubeObject {
  readonly spec: {
    readonly destinations?: readonly {
      readonly server?: string;
      readonly name?: string;
      readonly namespace?: string;
    }[];
    /** Besides Argo CD's own, the namespaces whose Applications may use the project. */
    readonly sourceNamespaces?: readonly string[];
    readonly sourceRepos?: readonly string[];
    readonly clusterResourceWhitelist?: readonly { readonly group: string; readonly kind: string }[];
    readonly syncWindows?: readonly SyncWindow[];
  };
}

export interface SyncWindow {
  readonly kind?: string;
  readonly schedule?: string;
  readonly duration?: string;
  readonly applications?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly clusters?: readonly string[];
  readonly manualSync?: boolean;
}

export function projectOf(context: ArgoContext, application: Application): Project | undefined {
  // The API server has checked the project's shape against its definition.
  return context.store.get(context.projectType, context.namespace, application.spec.project) as Project | undefined;
}

/** The message when the project does not take Applications from this namespace. */
export function sourceNamespaceRefusal(
  context: ArgoContext,
  { metadata }: Application,
  project: Project,
): string | undefined {
  const { namespace = context.namespace } = metadata;
  if (namespace === context.namespace) return undefined;
  if ((project.spec.sourceNamespaces ?? []).some((pattern) => matchesGlob(pattern, namespace))) return undefined;
  return `application '${metadata.name}' in namespace '${namespace}' is not permitted to use project '${project.metadata.name}'`;
}

/** The message of an InvalidSpecError when the project forbids what the Application asks for. */
export function projectRefusal(application: Application, project: Project): string | undefined {
  const { server, namespace = '' } = application.spec.destination;
  const name = application.spec.project;
  const repos = project.spec.sourceRepos ?? [];
  const foreign = sourcesOf(application.spec).find(
    (source) => !repos.some((repo) => matchesGlob(repo, source.repoURL)),
  );
  if (foreign !== undefined) return `application repo ${foreign.repoURL} is not permitted in project '${name}'`;
  const isAllowed = (project.spec.destinations ?? []).some(
    (destination) =>
      matchesGlob(destination.server ?? '*', server ?? '') && matchesGlob(destination.namespace ?? '*', namespace),
  );
  if (isAllowed) return undefined;
  return `application destination server '${server}' and namespace '${namespace}' do not match any of the allowed destinations in project '${name}'`;
}

/** Cluster-wide kinds need the project's leave; namespaced ones have it. */
export function isKindPermitted(context: ArgoContext, project: Project, object: KubeObject): boolean {
  if (context.typeOf(object.apiVersion, object.kind)?.namespaced !== false) return true;
  return (project.spec.clusterResourceWhitelist ?? []).some(
    (allowed) => matchesGlob(allowed.group, groupOf(object.apiVersion)) && matchesGlob(allowed.kind, object.kind),
  );
}
