import { createHash } from 'node:crypto';
import { apiVersionOf, type ResourceType } from '../store/objects.ts';
import { type Answer, json } from './answer.ts';
import { schemaOf } from './definitions.ts';
import type { ApiRequest } from './handler.ts';
import type { Server } from './server.ts';

/** Just enough OpenAPI for `kubectl apply`: which kinds there are, and that PATCH takes fieldValidation. */
export function answerOpenApi(server: Server, _request: ApiRequest, path: string): Answer | undefined {
  const roots = groupRoots(server);
  if (path === '/openapi/v3') {
    const paths = Object.fromEntries(
      [...roots].map(([root, types]) => [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hashOf(types)}` }]),
    );
    return json(200, { paths }, { 'content-type': 'text/plain; charset=utf-8' });
  }
  if (path === '/openapi/v2') return json(200, versionTwo(server));
  const types = roots.get(path.replace('/openapi/v3/', ''));
  return types === undefined ? undefined : json(200, versionThree(server, types));
}

/** `api/v1`, `apis/argoproj.io/v1alpha1` → its kinds. */
function groupRoots(server: Server): Map<string, ResourceType[]> {
  const roots = new Map<string, ResourceType[]>();
  for (const type of server.types.all()) {
    const root = rootOf(type);
    roots.set(root, [...(roots.get(root) ?? []), type]);
  }
  return roots;
}

const rootOf = (type: ResourceType): string => (type.group === '' ? 'api/v1' : `apis/${apiVersionOf(type)}`);

function hashOf(types: readonly ResourceType[]): string {
  const names = types.map(({ group, version, kind }) => `${group}/${version}/${kind}`).join(' ');
  return createHash('sha256').update(names).digest('hex').toUpperCase();
}

function versionThree(server: Server, types: readonly ResourceType[]): unknown {
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.34.11' },
    paths: Object.fromEntries(types.map((type) => [pathOf(type), { patch: patchOf(type) }])),
    components: { schemas: Object.fromEntries(types.map((type) => [schemaName(type), schemaFor(server, type)])) },
  };
}

function versionTwo(server: Server): unknown {
  const types = server.types.all();
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1.34.11' },
    paths: Object.fromEntries(types.map((type) => [pathOf(type), { patch: patchOf(type) }])),
    definitions: Object.fromEntries(types.map((type) => [schemaName(type), schemaFor(server, type)])),
  };
}

function pathOf(type: ResourceType): string {
  const place = type.namespaced ? '/namespaces/{namespace}' : '';
  return `/${rootOf(type)}${place}/${type.plural}/{name}`;
}

function patchOf(type: ResourceType): unknown {
  const parameter = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });
  return {
    operationId: `patch${type.kind}`,
    parameters: ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map(parameter),
    responses: { '200': { description: 'OK' } },
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': kindOf(type),
  };
}

const kindOf = ({ group, version, kind }: ResourceType) => ({ group, version, kind });

function schemaName({ group, version, kind }: ResourceType): string {
  const reversed = group === '' ? 'io.k8s.api.core' : group.split('.').reverse().join('.');
  return `${reversed}.${version}.${kind}`;
}

function schemaFor(server: Server, type: ResourceType): unknown {
  const schema = schemaOf(server.store, type) ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return { ...schema, 'x-kubernetes-group-version-kind': [kindOf(type)] };
}
