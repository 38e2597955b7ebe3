/** Who Argo CD's controller is to the API server: a name of its own beside the cluster, its ServiceAccount when a chart has installed it. */
export const argocdUsers: readonly string[] = [
  'system:argocd',
  'system:serviceaccount:argocd:argocd-application-controller',
];
