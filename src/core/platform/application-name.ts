import type { Platform } from './platform.ts';

/** An Application's name as people and Argo CD's own tools write it: `name`, or `namespace/name` outside of Argo CD's namespace. */
export function splitApplication(application: string): {
  readonly namespace: string | undefined;
  readonly name: string;
} {
  const slash = application.indexOf('/');
  if (slash < 0) return { namespace: undefined, name: application };
  return { namespace: application.slice(0, slash), name: application.slice(slash + 1) };
}

/** How the Application is called for which this object stands. */
export function applicationAt(
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  argocdNamespace: string,
): string {
  return namespace === undefined || namespace === argocdNamespace ? name : `${namespace}/${name}`;
}

/** Does this object in a parent's Git path stand for that Application? */
export function isApplication(
  object: { readonly kind: string; readonly namespace: string | undefined; readonly name: string },
  application: string,
): boolean {
  const { namespace, name } = splitApplication(application);
  if (object.kind !== 'Application' || object.name !== name) return false;
  return namespace === undefined || object.namespace === namespace;
}

/** The Applications of the platform that are not in Argo CD's own namespace. */
export function applicationsElsewhere({ root, stacks, apps }: Platform): readonly string[] {
  const parents = [root, ...[...stacks.values()].map((stack) => stack.application)];
  const all = [...parents, ...[...apps.values()].map((app) => app.application)];
  return all.filter((application) => application?.includes('/')) as string[];
}

/** The namespaces in which the platform has Applications besides Argo CD's own. */
export function applicationNamespaces(platform: Platform): ReadonlySet<string> {
  return new Set(
    applicationsElsewhere(platform).flatMap((application) => splitApplication(application).namespace ?? []),
  );
}
