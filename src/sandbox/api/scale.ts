import type { KubeObject, ResourceType } from '../store/objects.ts';
import { type Answer, json } from './answer.ts';
import { type Body, decodeObject } from './decode.ts';
import { isFields, mergePatch } from './merge-patch.ts';
import { type Call, namespaceOf } from './server.ts';
import { badRequest, conflict, methodNotAllowed, notFound } from './status.ts';

export function hasScale({ group, plural }: ResourceType): boolean {
  return group === 'apps' && ['deployments', 'statefulsets', 'replicasets'].includes(plural);
}

/** The number of replicas as an object of its own. */
export function scale(call: Call): Answer {
  const name = call.path.name ?? '';
  const found = call.server.store.get(call.type, namespaceOf(call), name);
  if (found === undefined) throw notFound(call.type, name);
  switch (call.info.verb) {
    case 'get':
      return json(200, scaleOf(found));
    case 'update':
      return rescale(call, found, decodeObject(call.request, scaleType));
    case 'patch':
      return rescale(call, found, patched(call, found));
    default:
      throw methodNotAllowed();
  }
}

function rescale(call: Call, found: KubeObject, wanted: Body): Answer {
  const version = (wanted['metadata'] as { resourceVersion?: string } | undefined)?.resourceVersion;
  if (version !== undefined && version !== found.metadata.resourceVersion)
    throw conflict(call.type, found.metadata.name);
  const replicas = (wanted['spec'] as { replicas?: number } | undefined)?.replicas ?? 0;
  const next = { ...found, spec: { ...(found['spec'] as object), replicas } };
  const dryRun = call.info.query.has('dryRun');
  return json(200, scaleOf(dryRun ? next : call.server.store.update(call.type, next, call.user.user)));
}

const scaleType: ResourceType = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  plural: 'scales',
  singular: 'scale',
  shortNames: [],
  namespaced: true,
  statusSubresource: false,
  custom: false,
};

function patched(call: Call, found: KubeObject): Readonly<Record<string, unknown>> {
  let body: unknown;
  try {
    body = JSON.parse(call.request.body ?? '');
  } catch {
    throw badRequest('error decoding patch: invalid JSON');
  }
  const next = mergePatch(scaleOf(found), body);
  return isFields(next) ? next : {};
}

function scaleOf(object: KubeObject): unknown {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { replicas, selector } = (object['spec'] ?? {}) as {
    replicas?: number;
    selector?: { matchLabels?: Readonly<Record<string, string>> };
  };
  const status = (object['status'] ?? {}) as { replicas?: number };
  const labels = Object.entries(selector?.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    // Zero is left out, as Go leaves out what is empty.
    spec: replicas ? { replicas } : {},
    status: { replicas: status.replicas ?? 0, selector: labels.map(([key, value]) => `${key}=${value}`).join(',') },
  };
}
