import type { App, Platform } from '../../core/platform/platform.ts';
import type { KubeObject } from '../store/objects.ts';
import type { Behaviour } from './behaviours.ts';
import { type CustomKind, definitionOf, mainKindOf, ownKinds, type Providers, reliesOn } from './definitions.ts';

/** What Git holds for one app: the objects an app of its type really consists of. */
export function manifestsOf(platform: Platform, app: App, world: ManifestWorld): readonly KubeObject[] {
  const { behaviour, providers } = world;
  const objects = [
    ...definitions(app, providers),
    ...usedKinds(platform, app).map((kind) => customResource(kind, `${app.name}-${kind.plural}`, {})),
    ...byType[app.type](app, () => mainObject(platform, app, providers)),
  ];
  return inWaves([...objects, ...partObjects(app, objects)], behaviour.waves).concat(hooks(app, behaviour));
}

export interface ManifestWorld {
  readonly behaviour: Behaviour;
  readonly providers: Providers;
}

/** A claim, a deployment and so on carry the app's name, so that people find them. */
const byType: Record<App['type'], (app: App, main: () => KubeObject) => readonly KubeObject[]> = {
  simple: (app) => [configMap(app), deployment(app.name), service(app.name, 80)],
  operator: (app) => [deployment(app.name)],
  database: (app, main) => [main(), claim(app)],
  vault: (app) => [statefulSet(app.name), deployment(`${app.name}-agent-injector`), service(app.name, 8200)],
  ceph: (app, main) => [main(), storageClass(app)],
};

function definitions(app: App, providers: Providers): readonly KubeObject[] {
  const provided = [...providers].filter(([, provider]) => provider === app).map(([kind]) => kind);
  const hasPart = [...app.parts.values()].some((part) => part.kinds.includes('CustomResourceDefinition'));
  return [...provided, ...(provided.length > 0 && !hasPart ? [] : ownKinds(app))].map(definitionOf);
}

/** Who needs somebody's definitions early uses them: without them its sync fails. */
function usedKinds(platform: Platform, app: App): readonly CustomKind[] {
  return app.needs.flatMap((need) => {
    const hash = need.node.indexOf('#');
    if (hash < 0 || need.edge !== 'hard') return [];
    const provider = platform.apps.get(need.node.slice(0, hash));
    const part = provider?.parts.get(need.node.slice(hash + 1));
    if (provider === undefined || !part?.kinds.includes('CustomResourceDefinition')) return [];
    return ownKinds(provider).filter(
      ({ plural, group }) => part.names.length === 0 || part.names.includes(`${plural}.${group}`),
    );
  });
}

/** The custom resource of the app, or a StatefulSet where its definition would come from an app that may not be there yet. */
function mainObject(platform: Platform, app: App, providers: Providers): KubeObject {
  const kind = mainKindOf(app);
  if (kind === undefined) return statefulSet(app.name);
  const provider = providers.get(kind);
  if (provider !== undefined && !reliesOn(platform, app, provider.name)) return statefulSet(app.name);
  return customResource(kind, app.name, specs[kind.kind] ?? {});
}

const specs: Readonly<Record<string, object>> = {
  postgresql: { teamId: 'platform', numberOfInstances: 2, volume: { size: '10Gi' }, postgresql: { version: '17' } },
  Kafka: { kafka: { replicas: 3 } },
  RedisCluster: { clusterSize: 3 },
  CephCluster: { dataDirHostPath: '/var/lib/rook', mon: { count: 3 } },
};

function customResource({ group, version, kind }: CustomKind, name: string, spec: object): KubeObject {
  return { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec };
}

function configMap(app: App): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: app.name }, data: { app: app.name } };
}

function podTemplate(name: string) {
  return { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: `example/${name}:1` }] } };
}

/** A Job's pods may not be started for ever. */
function runsOnce(template: ReturnType<typeof podTemplate>): object {
  return { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
}

function deployment(name: string): KubeObject {
  const selector = { matchLabels: { app: name } };
  const spec = { replicas: 1, selector, template: podTemplate(name) };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
}

function statefulSet(name: string): KubeObject {
  const selector = { matchLabels: { app: name } };
  const spec = { replicas: 1, serviceName: name, selector, template: podTemplate(name) };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name }, spec };
}

function service(name: string, port: number): KubeObject {
  const spec = { type: 'ClusterIP', selector: { app: name }, ports: [{ port }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}

function claim(app: App): KubeObject {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: `${app.name}-data` }, spec };
}

function storageClass(app: App): KubeObject {
  const name = `${app.name}-block`;
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'rook-ceph.rbd.csi.ceph.com',
    reclaimPolicy: 'Delete',
  };
}

/** A part may name kinds that an app of this type does not have by itself. */
function partObjects(app: App, objects: readonly KubeObject[]): readonly KubeObject[] {
  const wanted = new Set([...app.parts.values()].flatMap((part) => part.kinds));
  return plainKinds.flatMap((kind) => {
    const isThere = objects.some((object) => object.kind === kind);
    return wanted.has(kind) && !isThere ? [{ apiVersion: 'v1', kind, metadata: { name: app.name } }] : [];
  });
}

const plainKinds = ['ConfigMap', 'Secret', 'ServiceAccount'];

function inWaves(objects: readonly KubeObject[], waves: number): readonly KubeObject[] {
  if (waves <= 1) return objects;
  return objects.map((object, index) => {
    const wave = Math.min(waves - 1, Math.floor((index * waves) / objects.length));
    return annotated(object, { 'argocd.argoproj.io/sync-wave': String(wave) });
  });
}

function hooks(app: App, behaviour: Behaviour): KubeObject[] {
  return behaviour.hooks.map((hook) => {
    const name = `${app.name}-${hook.toLowerCase()}`;
    const spec = { template: runsOnce(podTemplate(name)) };
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec };
    return annotated(job, { 'argocd.argoproj.io/hook': hook });
  });
}

function annotated(object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations } };
}
