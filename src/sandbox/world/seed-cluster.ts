import { installCrd } from '../api/custom-resources.ts';
import type { KubeObject } from '../store/objects.ts';
import type { ResourceTypes } from '../store/resource-types.ts';
import type { Store } from '../store/store.ts';
import { appProject } from './applications.ts';
import { type CustomKind, definitionOf } from './definitions.ts';
import type { World } from './world.ts';

/** What a bootstrapped cluster holds before the first run: namespaces, Argo CD and its settings, and the Applications at the top, held. */
export function seedCluster(
  { store, types }: { store: Store; types: ResourceTypes },
  world: World,
  options: { argoDefinitions: readonly KubeObject[]; isBare: boolean },
): void {
  const { platform } = world;
  const { argocdNamespace: argocd, workflowsNamespace } = platform?.environment ?? usualNamespaces;
  const create = (object: KubeObject): void => {
    const type = types.byKind(object.apiVersion, object.kind);
    if (type === undefined) throw new Error(`the cluster cannot be seeded: it does not know ${object.kind}`);
    store.create(type, object, 'bootstrap');
  };
  for (const name of new Set(['default', 'kube-system', argocd, workflowsNamespace])) create(namespace(name));
  for (const definition of options.argoDefinitions) installCrd(store, types, definition);
  for (const kind of preinstalled(world)) installCrd(store, types, definitionOf(kind));
  const held = options.isBare ? [] : world.topApplications;
  create(defaultProject(argocd, platform?.name, held));
  create(settings(argocd));
  for (const application of held) create(application);
}

const usualNamespaces = { argocdNamespace: 'argocd', workflowsNamespace: 'argo' };

function preinstalled(world: World): readonly CustomKind[] {
  return [...world.providers].filter(([, provider]) => provider === undefined).map(([kind]) => kind);
}

function namespace(name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
}

/** The bootstrap creates the Applications at the top under the hold, so that nothing starts before a run says so. */
function defaultProject(argocd: string, platform: string | undefined, held: readonly KubeObject[]): KubeObject {
  const window = {
    kind: 'deny',
    schedule: '* * * * *',
    duration: '24h',
    manualSync: true,
    applications: held.map((application) => application.metadata.name).sort(),
    description: `tiphys ${platform}: held until its turn`,
  };
  return appProject({ argocdNamespace: argocd }, 'default', held.length === 0 ? {} : { syncWindows: [window] });
}

function settings(argocd: string): KubeObject {
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'argocd-cm', namespace: argocd, labels }, data: {} };
}
