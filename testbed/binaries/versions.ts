/** The versions a testbed is made of. The `go.mod` files in `testbed/build` agree, which a test checks. */
export const versions = {
  /** The oldest Go that builds all of it. */
  go: '1.26.5',
  etcd: '3.6.14',
  kubernetes: '1.34.11',
  kwok: '0.8.0',
  argocd: { '3.4': '3.4.6', '3.5': '3.5.3' },
  workflows: '4.1.4',
  helm: '3.21.4',
  kustomize: '5.8.1',
  /** The charts argo-cd 10.8.0, argo-workflows 2.0.4 and argo-events 2.4.25; their repository has no versions of its own. */
  argoHelm: '0.0.0-20260904222229-3bbb4305eea9',
  sealedSecrets: '0.36.6',
} as const;
