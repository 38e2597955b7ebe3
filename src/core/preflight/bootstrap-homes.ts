/** The namespaces that a bootstrap installs into. */
export function bootstrapHomes({ argocdNamespace, workflowsNamespace }: HomePlaces): readonly string[] {
  return [argocdNamespace, workflowsNamespace, 'argo-events', 'sealed-secrets'];
}

/** Those that an environment may name otherwise. */
export interface HomePlaces {
  readonly argocdNamespace: string;
  readonly workflowsNamespace: string;
}
