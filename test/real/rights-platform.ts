import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { type CustomKind, definitionOf } from '../../src/sandbox/world/definitions.ts';
import { statusIn } from '../../src/sandbox/world/workload-status.ts';
import { annotations } from '../../testbed/world/annotations.ts';
import { writeRepository } from '../../testbed/world/write-repository.ts';
import type { RealBed } from './testbed.ts';

/** A small platform that needs every right there is: one object of each kind that is looked at, a hook, a Vault, a child Application. */
export async function publishRightsPlatform({ state, client }: RealBed): Promise<string> {
  const repository = join(state.folder, 'repo');
  const files = Object.entries(content(repository)).flatMap(([app, objects]) =>
    objects.map((object, index) => [`${app}/${index}.yaml`, text(object)] as const),
  );
  await writeRepository(repository, { files: new Map(files), branches: ['main'] });
  for (const name of ['operators', 'things', 'vault', 'definitions', 'solo'])
    await client.create(applicationsPath, application(repository, name));
  const folder = join(state.folder, 'rights');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'dag.yaml'), dag);
  writeFileSync(join(folder, 'environment.yaml'), environment);
  return folder;
}

const applicationsPath = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications';

const dag = `apiVersion: tiphys.dev/v1
kind: Platform
name: rights
stacks:
  all:
    apps:
      operators: { type: operator }
      things: { type: database, needs: [operators] }
      vault: { type: vault }
      definitions: { type: operator }
      solo: {}
`;

const environment = 'name: test\ndomain: example.com\ngitRepository: file:///nowhere\ngitRevision: main\n';

const kinds: readonly CustomKind[] = [
  { group: 'ceph.rook.io', version: 'v1', kind: 'CephCluster', plural: 'cephclusters' },
  { group: 'kafka.strimzi.io', version: 'v1beta2', kind: 'Kafka', plural: 'kafkas' },
  { group: 'redis.redis.opstreelabs.in', version: 'v1beta2', kind: 'RedisCluster', plural: 'redisclusters' },
  { group: 'temporal.io', version: 'v1beta1', kind: 'TemporalCluster', plural: 'temporalclusters' },
  { group: 'vault.banzaicloud.com', version: 'v1alpha1', kind: 'Vault', plural: 'vaults' },
  { group: 'acid.zalan.do', version: 'v1', kind: 'postgresql', plural: 'postgresqls' },
];

function content(repository: string): Readonly<Record<string, readonly KubeObject[]>> {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  return {
    operators: kinds.map(definitionOf),
    things: [...kinds.map(customResource), statefulSet('thing'), hook, application(repository, 'child', automated)],
    vault: [statefulSet('vault'), service('vault', 8200)],
    definitions: [definitionOf({ group: 'rights.example.com', version: 'v1', kind: 'Solo', plural: 'solos' })],
    solo: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'solo' }, spec: claim }],
    child: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'child' } }],
  };
}

const automated = { automated: {} };

function application(repository: string, name: string, syncPolicy: object = {}): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: `file://${repository}`, path: name, targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
      syncPolicy: { ...syncPolicy, syncOptions: ['CreateNamespace=true'] },
    },
  };
}

function customResource({ group, version, kind }: CustomKind): KubeObject {
  const object = { apiVersion: `${group}/${version}`, kind, metadata: { name: 'thing' }, spec: {} };
  const status = { ...statusIn({ ...object, spec: specs[kind] ?? {} }, 'ready'), ...said[kind] };
  const { observedGeneration, ...rest } = status as Record<string, unknown>;
  const script = [{ after: '0ms', status: rest, observed: observedGeneration !== undefined }];
  return {
    ...object,
    spec: specs[kind] ?? {},
    metadata: { name: 'thing', annotations: { [annotations.script]: JSON.stringify(script) } },
  };
}

const specs: Readonly<Record<string, object>> = {
  Kafka: { kafka: { replicas: 1 } },
  RedisCluster: { clusterSize: 1 },
  postgresql: { numberOfInstances: 1 },
};

/** What operators say of kinds that the sandbox does not play. */
const said: Readonly<Record<string, object>> = {
  TemporalCluster: { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] },
  Vault: { leader: 'thing-0', nodes: ['thing-0'], conditions: [{ type: 'Healthy', status: 'True' }] },
};

const hook: KubeObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'hook', annotations: { 'argocd.argoproj.io/hook': 'PostSync' } },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example/hook:1' }] } } },
};

function statefulSet(name: string): KubeObject {
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'main', image: `example/${name}:1` }] },
  };
  const spec = { replicas: 1, serviceName: name, selector: { matchLabels: { app: name } }, template };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name }, spec };
}

function service(name: string, port: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port }] },
  };
}

function text(object: KubeObject): string {
  return stringify(object, { aliasDuplicateObjects: false });
}
