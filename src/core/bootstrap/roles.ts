/** One role of the bootstrap, as bootstrap/roles has it. */
export interface BootstrapRole {
  readonly name: string;
  /** R6.3: each requires the status fact of what it follows. */
  readonly after: readonly string[];
  /** What it brings, for a plan that somebody reads. */
  readonly brings: string;
  /** Its usual length, for the critical path. */
  readonly seconds: number;
}

/** In the order in which the playbook runs them. */
export const bootstrapRoles: readonly BootstrapRole[] = [
  { name: 'argocd', after: [], brings: 'Argo CD with our health checks', seconds: 120 },
  {
    name: 'argo-workflows',
    after: ['argocd'],
    brings: 'Argo Workflows, and the templates and rights of charts/tiphys',
    seconds: 60,
  },
  { name: 'argo-events', after: ['argo-workflows'], brings: 'Argo Events and its EventBus', seconds: 40 },
  { name: 'sealed-secrets', after: [], brings: 'the sealed-secrets controller', seconds: 30 },
  {
    name: 'gitops-handoff',
    after: ['argocd', 'sealed-secrets'],
    brings: 'the Root Application, held until deploy starts it',
    seconds: 10,
  },
];

/** Everything that comes after a role, however far. */
export function rolesAfter(name: string): ReadonlySet<string> {
  const found = new Set<string>();
  // The list is in running order: one pass meets every role after what it needs.
  for (const role of bootstrapRoles) {
    if (role.after.some((need) => need === name || found.has(need))) found.add(role.name);
  }
  return found;
}
