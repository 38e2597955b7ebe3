import type { ArgoCdLine } from '../testbed.ts';
import { versions } from './versions.ts';

/** One thing that is built: a program, or several in one that choose by the name they are started under. */
export interface Target {
  /** The folder in `testbed/build`. */
  readonly name: string;
  readonly binary: string;
  readonly version: string;
  readonly module: string;
  readonly package: string;
  readonly programs: readonly Program[];
  readonly tags: readonly string[];
  /** What the linker writes into string variables, because a program built from a module does not know its version. */
  readonly variables: Readonly<Record<string, string>>;
  /** Without it a stand-in is used, when the binaries are not ours. */
  readonly isOptional: boolean;
}

export interface Program {
  readonly name: string;
  /** How it is asked for its version, and where in the answer the version is. Some have no such command and would start instead. */
  readonly ask?: { readonly args: readonly string[]; readonly answer: RegExp };
}

/** Every target that a testbed with this line of Argo CD needs, those that take longest first. */
export function targetsFor(argocd: ArgoCdLine): Target[] {
  return [kube, argocdTarget(argocd), workflowController, kwok, helm, etcd, kustomize];
}

const [kubernetesMajor = '', kubernetesMinor = ''] = versions.kubernetes.split('.');

const kube = target({
  name: 'kube',
  version: versions.kubernetes,
  module: 'k8s.io/kubernetes',
  package: '.',
  programs: [
    ...['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map((name) =>
      program(name, ['--version'], /^Kubernetes v(\S+)/m),
    ),
    program('kubectl', ['version', '--client'], /^Client Version: v(\S+)/m),
  ],
  variables: Object.fromEntries(
    ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) => [
      [`${path}.gitVersion`, `v${versions.kubernetes}`],
      [`${path}.gitMajor`, kubernetesMajor],
      [`${path}.gitMinor`, kubernetesMinor],
    ]),
  ),
});

const workflowController = target({
  name: 'workflow-controller',
  version: versions.workflows,
  module: 'github.com/argoproj/argo-workflows/v4',
  package: 'github.com/argoproj/argo-workflows/v4/cmd/workflow-controller',
  programs: [program('workflow-controller', ['version'], /^workflow-controller: v([\d.]+)/m)],
  // Without it its messages no longer satisfy the interface that its client library still asks for.
  tags: ['kubernetes_protomessage_one_more_release'],
  variables: { 'github.com/argoproj/argo-workflows/v4.version': `v${versions.workflows}` },
});

const kwok = target({
  name: 'kwok',
  version: versions.kwok,
  module: 'sigs.k8s.io/kwok',
  package: 'sigs.k8s.io/kwok/cmd/kwok',
  programs: [program('kwok', ['--version'], /version v(\S+)/)],
});

const helm = target({
  name: 'helm',
  version: versions.helm,
  module: 'helm.sh/helm/v3',
  package: 'helm.sh/helm/v3/cmd/helm',
  programs: [program('helm', ['version'], /Version:"v([^"]+)"/)],
  variables: {
    'helm.sh/helm/v3/internal/version.version': `v${versions.helm}`,
    // What it takes a cluster for that it cannot ask; 1.20 unless told, which charts of today refuse.
    'helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor': kubernetesMajor,
    'helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor': kubernetesMinor,
  },
});

const etcd = target({
  name: 'etcd',
  version: versions.etcd,
  module: 'go.etcd.io/etcd/server/v3',
  package: 'go.etcd.io/etcd/server/v3',
  programs: [program('etcd', ['--version'], /^etcd Version: (\S+)/m)],
});

const kustomize = target({
  name: 'kustomize',
  version: versions.kustomize,
  module: 'sigs.k8s.io/kustomize/kustomize/v5',
  package: 'sigs.k8s.io/kustomize/kustomize/v5',
  programs: [program('kustomize', ['version'], /v(\d\S+)/)],
  variables: { 'sigs.k8s.io/kustomize/api/provenance.version': `v${versions.kustomize}` },
  isOptional: true,
});

function argocdTarget(line: ArgoCdLine): Target {
  const version = versions.argocd[line];
  return target({
    name: `argocd-${line}`,
    binary: 'argocd',
    version,
    module: 'github.com/argoproj/argo-cd/v3',
    package: 'github.com/argoproj/argo-cd/v3/cmd',
    programs: [
      // The repo-server hands this one to Git, which asks it for passwords.
      program('argocd', ['version', '--client'], /^argocd: v([\d.]+)/m),
      program('argocd-server', ['version'], /^argocd-server: v([\d.]+)/m),
      { name: 'argocd-application-controller' },
      { name: 'argocd-repo-server' },
      { name: 'argocd-applicationset-controller' },
    ],
    variables: { 'github.com/argoproj/argo-cd/v3/common.version': version },
  });
}

type Named = Pick<Target, 'name' | 'version' | 'module' | 'package' | 'programs'>;

function target(given: Named & Partial<Target>): Target {
  return { binary: given.name, tags: [], variables: {}, isOptional: false, ...given };
}

function program(name: string, args: readonly string[], answer: RegExp): Program {
  return { name, ask: { args, answer } };
}
