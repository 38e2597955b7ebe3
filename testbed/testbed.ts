/** A real Kubernetes with a real Argo CD, as plain processes on loopback. Everything it has stands in one folder. */
export interface Testbed {
  readonly name: string;
  readonly folder: string;
  readonly argocd: ArgoCdLine;
  readonly ports: Readonly<Record<PortName, number>>;
  /** Nothing of Argo is in it from the start: charts bring it, and the part of the kubelet runs it. */
  readonly empty?: true;
}

/** The release lines of Argo CD that the contract suite passes on. */
export type ArgoCdLine = '3.4' | '3.5';

export const portNames = [
  'etcd',
  'etcdPeer',
  'api',
  'controllerManager',
  'scheduler',
  'kwok',
  'redis',
  'repoServer',
  'repoServerMetrics',
  'applicationControllerMetrics',
  'argocdServer',
  'argocdServerMetrics',
  'applicationSetMetrics',
  'applicationSetProbe',
  'applicationSetWebhook',
  'workflowsMetrics',
  'workflowsProbe',
  'admission',
  // New ones go to the end: a testbed that is there keeps its ports.
  'kubelet',
  'workflowsApi',
] as const;

export type PortName = (typeof portNames)[number];

/** The programs of a testbed, verified by version. */
export interface Binaries {
  readonly folder: string;
  path(name: BinaryName): string;
}

export type BinaryName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'kwok'
  | 'argocd-application-controller'
  | 'argocd-repo-server'
  | 'argocd-server'
  | 'argocd-applicationset-controller'
  | 'workflow-controller'
  | 'helm';

/** Files that come with the sources of the programs. */
export interface Assets {
  /** A folder with the definitions of Application, AppProject and ApplicationSet. */
  readonly argocdCrds: string;
  /** A script that Argo CD 3.5 calls for every Git source. */
  readonly gitVerifyWrapper: string | undefined;
  /** A kustomize folder: how nodes and pods behave. */
  readonly kwokStages: string;
  /** A kustomize folder: the definitions of Argo Workflows, without their long descriptions. */
  readonly workflowsCrds: string;
}
