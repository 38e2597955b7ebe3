import { bootstrapHomes, type HomePlaces } from './bootstrap-homes.ts';

/** A right that `bootstrap` or `deploy` uses, as a SelfSubjectAccessReview asks for it. */
export interface NeededRight {
  readonly verbs: readonly string[];
  readonly group: string;
  readonly resource: string;
  /** In this namespace; undefined: at the cluster scope. */
  readonly namespace: string | undefined;
  readonly why: string;
}

/** Everything that bootstrap and deploy may have to do (R3.4); docs/guides/preflight.md explains it, docs/permissions.md has the least for deploy alone. */
export function neededRights(places: HomePlaces): readonly NeededRight[] {
  const { argocdNamespace } = places;
  const homes = bootstrapHomes(places);
  return [
    ...clusterRights.map(right),
    ...homes.flatMap((namespace) => releaseRights.map((one) => ({ ...right(one), namespace }))),
    ...handOverRights.map((one) => ({ ...right(one), namespace: argocdNamespace })),
    ...deployRights.map((one) => ({ ...right(one), namespace: argocdNamespace })),
    ...readingRights.map(right),
  ];
}

/** `verbs | resource.group | why` */
type Row = readonly [verbs: string, resource: string, why: string];

const clusterRights: readonly Row[] = [
  ['get create patch', 'namespaces', 'bootstrap makes a home for each component'],
  [
    'get create patch',
    'customresourcedefinitions.apiextensions.k8s.io',
    'the kinds of Argo CD, Workflows, Events and sealed-secrets',
  ],
  [
    'get create patch delete',
    'clusterroles.rbac.authorization.k8s.io',
    'the charts bring their roles; a roll-back takes them away',
  ],
  ['get create patch delete', 'clusterrolebindings.rbac.authorization.k8s.io', 'the same'],
  ['bind escalate', 'clusterroles.rbac.authorization.k8s.io', 'Argo CD gets more rights than most people have'],
  ['get create patch', 'clusterworkflowtemplates.argoproj.io', 'our templates for Argo Workflows'],
];

const releaseRights: readonly Row[] = [
  ['get list create update delete', 'secrets', 'Helm keeps its releases there'],
  ['get create patch delete', 'configmaps', 'settings of the component'],
  ['get create patch delete', 'serviceaccounts', 'the component’s own identity'],
  ['get create patch delete', 'services', 'its address in the cluster'],
  ['get create patch delete', 'deployments.apps', 'the component itself'],
  ['get create patch delete', 'roles.rbac.authorization.k8s.io', 'its rights'],
  ['get create patch delete', 'rolebindings.rbac.authorization.k8s.io', 'the same'],
];

const handOverRights: readonly Row[] = [
  ['get create patch delete', 'statefulsets.apps', 'Argo CD’s controller'],
  ['get create delete', 'jobs.batch', 'a hook of the chart makes the password of its cache'],
  ['get create patch', 'applications.argoproj.io', 'the root Application'],
  ['get create patch', 'appprojects.argoproj.io', 'its project, with the hold'],
];

const deployRights: readonly Row[] = [
  ['list watch patch', 'applications.argoproj.io', 'deploy starts syncs and follows them'],
  ['list', 'appprojects.argoproj.io', 'who is held'],
  ['get create patch delete', 'leases.coordination.k8s.io', 'one run at a time'],
];

const readingRights: readonly Row[] = [
  ['list', 'nodes', 'preflight counts them'],
  ['list', 'pods', 'preflight looks for DNS and for what is taken already'],
  ['list', 'namespaces', 'preflight and teardown look for leftovers'],
  ['list', 'customresourcedefinitions.apiextensions.k8s.io', 'preflight lists what is there already'],
  ['list', 'deployments.apps', 'preflight looks for earlier installations'],
];

function right([verbs, kind, why]: Row): NeededRight {
  const [resource = '', ...group] = kind.split('.');
  return { verbs: verbs.split(' '), group: group.join('.'), resource, namespace: undefined, why };
}

/** `deployments.apps in argocd`. */
export function rightName({ group, resource, namespace }: NeededRight): string {
  return `${resource}${group === '' ? '' : `.${group}`}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
