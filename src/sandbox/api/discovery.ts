import { createHash } from 'node:crypto';
import { apiVersionOf, type ResourceType } from '../store/objects.ts';
import { type Answer, json } from './answer.ts';
import type { ApiRequest } from './handler.ts';
import { hasScale } from './scale.ts';
import type { Server } from './server.ts';
import { virtualKinds } from './virtual-resources.ts';

/** `/`, `/api`, `/apis`, `/apis/<group>` and `/apis/<group>/<version>`; undefined for any other path. */
export function answerDiscovery(server: Server, request: ApiRequest, path: string): Answer | undefined {
  const types = [...server.types.all(), ...virtualTypes];
  const parts = path.split('/').slice(1);
  const aggregated = (request.headers['accept'] ?? '').includes('as=APIGroupDiscoveryList');
  switch (parts[0]) {
    case '':
      return json(200, { paths: rootPaths(types) });
    case 'api':
      return core(types, parts, aggregated);
    case 'apis':
      return groups(types, parts, aggregated);
    default:
      return undefined;
  }
}

function core(types: readonly ResourceType[], parts: readonly string[], aggregated: boolean): Answer | undefined {
  if (parts[1] !== undefined) return resourceList(types, '', parts[1]);
  return aggregated ? aggregate(types.filter(({ group }) => group === '')) : json(200, coreVersions);
}

function groups(types: readonly ResourceType[], parts: readonly string[], aggregated: boolean): Answer | undefined {
  const [, group, version] = parts;
  if (group !== undefined) return version === undefined ? oneGroup(types, group) : resourceList(types, group, version);
  return aggregated ? aggregate(types.filter((type) => type.group !== '')) : json(200, groupList(types));
}

const coreVersions = {
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
};

const virtualTypes: readonly ResourceType[] = virtualKinds().map(({ group, plural, kind }) => ({
  group,
  version: 'v1',
  kind,
  plural,
  singular: kind.toLowerCase(),
  shortNames: [],
  namespaced: false,
  statusSubresource: false,
  custom: false,
}));

const isVirtual = (type: ResourceType): boolean => virtualTypes.includes(type);

function groupsOf(types: readonly ResourceType[]): Map<string, ResourceType[]> {
  const groups = new Map<string, ResourceType[]>();
  for (const type of types) groups.set(type.group, [...(groups.get(type.group) ?? []), type]);
  return groups;
}

function rootPaths(types: readonly ResourceType[]): string[] {
  const groups = [...groupsOf(types)].filter(([group]) => group !== '');
  const paths = groups.flatMap(([group, [first]]) => [`/apis/${group}`, `/apis/${group}/${first?.version ?? 'v1'}`]);
  const fixed = ['/api', '/api/v1', '/apis', '/apis/', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'];
  return [...fixed, ...paths].sort();
}

function groupVersions(group: string, types: readonly ResourceType[]): Record<string, unknown> {
  const versions = [...new Set(types.map(({ version }) => version))].map((version) => ({
    groupVersion: `${group}/${version}`,
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] };
}

function groupList(types: readonly ResourceType[]): unknown {
  const groups = [...groupsOf(types)].filter(([group]) => group !== '');
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map(([group, members]) => groupVersions(group, members)),
  };
}

function oneGroup(types: readonly ResourceType[], group: string): Answer | undefined {
  const members = types.filter((type) => type.group === group);
  if (group === '' || members.length === 0) return undefined;
  return json(200, { kind: 'APIGroup', apiVersion: 'v1', ...groupVersions(group, members) });
}

function resourceList(types: readonly ResourceType[], group: string, version: string): Answer | undefined {
  const members = types.filter((type) => type.group === group && type.version === version);
  const [first] = members;
  if (first === undefined) return undefined;
  return json(200, {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(first),
    resources: members.flatMap(resourceEntries),
  });
}

function resourceEntries(type: ResourceType): unknown[] {
  const { plural, singular, namespaced, kind, shortNames, categories } = type;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbsOf(type),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories === undefined ? {} : { categories }),
    ...(isVirtual(type) ? {} : { storageVersionHash: versionHash(type) }),
  };
  const others = subresourcesOf(type).map(({ name, kind: shown, group, version, verbs }) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...(group === undefined ? {} : { group, version }),
    kind: shown,
    verbs,
  }));
  return [main, ...others];
}

/** Custom resources list their verbs in another order than built-in kinds. */
function verbsOf(type: ResourceType): string[] {
  if (isVirtual(type)) return ['create'];
  if (type.custom) return ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
  const all = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  return type.group === '' && type.plural === 'namespaces' ? all.filter((verb) => verb !== 'deletecollection') : all;
}

interface Subresource {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

function subresourcesOf(type: ResourceType): Subresource[] {
  const found: Subresource[] = [];
  if (type.group === '' && type.plural === 'namespaces') {
    found.push({ name: 'finalize', kind: 'Namespace', verbs: ['update'] });
  }
  if (type.group === '' && type.plural === 'services') {
    found.push({ name: 'proxy', kind: 'ServiceProxyOptions', verbs: ['get'] });
  }
  if (type.group === '' && type.plural === 'serviceaccounts') {
    found.push({
      name: 'token',
      group: 'authentication.k8s.io',
      version: 'v1',
      kind: 'TokenRequest',
      verbs: ['create'],
    });
  }
  if (hasScale(type)) {
    found.push({
      name: 'scale',
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
  }
  if (type.statusSubresource) found.push({ name: 'status', kind: type.kind, verbs: ['get', 'patch', 'update'] });
  return found;
}

function versionHash({ group, version, kind }: ResourceType): string {
  const key = `${group}/${version}/${kind}`;
  let hash = hashes.get(key);
  if (hash === undefined) {
    hash = createHash('sha256').update(key).digest().subarray(0, 8).toString('base64');
    hashes.set(key, hash);
  }
  return hash;
}

const hashes = new Map<string, string>();
const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** All groups in one answer, which is how kubectl asks. */
function aggregate(types: readonly ResourceType[]): Answer {
  const items = [...groupsOf(types)].map(([group, members]) => ({
    metadata: group === '' ? {} : { name: group },
    versions: [...new Set(members.map(({ version }) => version))].map((version) => ({
      version,
      resources: members.filter((type) => type.version === version).map(aggregatedResource),
      freshness: 'Current',
    })),
  }));
  const body = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  return json(200, body, { 'content-type': aggregatedType });
}

function aggregatedResource(type: ResourceType): unknown {
  const { plural, singular, namespaced, kind, shortNames, categories } = type;
  const kindOf = (shown: string, group = '', version = '') => ({
    group: group === '' && type.custom ? type.group : group,
    version: version === '' && type.custom ? type.version : version,
    kind: shown,
  });
  const subresources = subresourcesOf(type).map((sub) => ({
    subresource: sub.name,
    responseKind: kindOf(sub.kind, sub.group, sub.version),
    verbs: sub.verbs,
  }));
  return {
    resource: plural,
    responseKind: kindOf(kind),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(type),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories === undefined ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
