import { apiVersionOf, type KubeObject, type ResourceType } from '../store/objects.ts';
import { AlreadyExistsError, timestamp, withMeta } from '../store/store.ts';
import { shape, validate } from './admit.ts';
import type { Answer } from './answer.ts';
import { type Body, decodeObject } from './decode.ts';
import { schemaOf } from './definitions.ts';
import { objectJson } from './encode.ts';
import { type Ownership, ownedFrom } from './managed-fields.ts';
import { checkMetadataTypes } from './metadata-types.ts';
import { respond } from './respond.ts';
import { type Call, namespaceOf } from './server.ts';
import { alreadyExists, badRequest, forbidden, internalError, notFound } from './status.ts';
import { type WriteOptions, writeOptions } from './write-options.ts';

/** POST to a collection. */
export function create(call: Call): Answer {
  const options = writeOptions(call, 'CreateOptions');
  const body = decodeObject(call.request, call.type);
  const { object, unknown } = createObject(call, body, options, {
    manager: options.manager,
    operation: 'Update',
  });
  return respond(call, 201, object, warningsFor(options, unknown));
}

/** Creates from a body; also the way of a PUT or apply that finds nothing there. */
export function createObject(
  call: Call,
  body: Body,
  options: WriteOptions,
  ownership: Ownership,
): { object: KubeObject; unknown: readonly string[] } {
  const { server, type } = call;
  const { object: shaped, unknown } = shape(server, type, placed(call, body));
  refuseUnknown(type, options, unknown);
  ensureNamespace(call, shaped.metadata.name);
  const fresh = type.statusSubresource && type.custom ? withoutStatus(shaped) : shaped;
  validate(server, type, fresh, undefined);
  const version = fresh.metadata.resourceVersion;
  if (version !== undefined && version !== '' && version !== '0') {
    throw internalError('resourceVersion should not be set on objects to be created');
  }
  refuseHuge(call, fresh);
  const { resourceVersion: _version, ...metadata } = fresh.metadata;
  const owned = ownedFrom({ ...fresh, metadata }, ownership, {
    type,
    schema: schemaOf(server.store, type),
    at: timestamp(server.time.now()),
  });
  return { object: options.dryRun ? dryCreate(call, owned) : reallyCreate(call, owned), unknown };
}

export function warningsFor(options: WriteOptions, unknown: readonly string[]): string[] {
  return options.fieldValidation === 'Warn' ? unknown.map((field) => `unknown field "${field}"`) : [];
}

/** The strict answer to fields that the kind does not have, for bodies that are whole objects. */
export function refuseUnknown(type: ResourceType, options: WriteOptions, unknown: readonly string[]): void {
  if (options.fieldValidation !== 'Strict' || unknown.length === 0) return;
  const fields = unknown.map((field) => `unknown field "${field}"`).join(', ');
  throw badRequest(
    `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: strict decoding error: ${fields}`,
  );
}

/** Refuses what etcd would not take. Only a large request can make an object too large, so small ones are not measured. */
export function refuseHuge(call: Call, object: KubeObject): void {
  if ((call.request.body?.length ?? 0) < 100_000) return;
  if (objectJson(object).length > 1_572_864) throw internalError('etcdserver: request is too large');
}

/** The body as an object in the place that the path names. */
function placed(call: Call, body: Body): KubeObject {
  const { type, server } = call;
  checkMetadataTypes(type, body);
  const given = (body['metadata'] ?? {}) as Record<string, unknown>;
  const namespace = namespaceOf(call);
  if (given['namespace'] !== undefined && given['namespace'] !== '' && given['namespace'] !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const generated = given['generateName'];
  const name =
    given['name'] === undefined && typeof generated === 'string'
      ? `${generated}${server.nextSuffix()}`
      : String(given['name'] ?? '');
  const { namespace: _namespace, managedFields: _managedFields, ...rest } = given;
  const metadata = { ...withoutSystemFields(rest), name, ...(namespace === undefined ? {} : { namespace }) };
  return { ...body, apiVersion: apiVersionOf(type), kind: type.kind, metadata };
}

function withoutSystemFields(metadata: Record<string, unknown>): Record<string, unknown> {
  const {
    uid: _uid,
    creationTimestamp: _creationTimestamp,
    deletionTimestamp: _deletionTimestamp,
    deletionGracePeriodSeconds: _grace,
    generation: _generation,
    selfLink: _selfLink,
    ...rest
  } = metadata;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
}

function withoutStatus(object: KubeObject): KubeObject {
  const { status: _status, ...rest } = object;
  return rest;
}

function ensureNamespace(call: Call, name: string): void {
  const namespace = namespaceOf(call);
  if (namespace === undefined) return;
  const { store, types } = call.server;
  const namespaces = types.byPlural('', 'namespaces');
  const found = namespaces === undefined ? undefined : store.get(namespaces, undefined, namespace);
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  throw forbidden(
    call.type,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  );
}

function reallyCreate(call: Call, object: KubeObject): KubeObject {
  try {
    return call.server.store.create(call.type, object, call.user.user);
  } catch (error) {
    if (error instanceof AlreadyExistsError) throw exists(call, object);
    throw error;
  }
}

function dryCreate(call: Call, object: KubeObject): KubeObject {
  const { store, time } = call.server;
  if (store.get(call.type, object.metadata.namespace, object.metadata.name)) throw exists(call, object);
  return withMeta(object, {
    uid: '00000000-0000-4000-9000-000000000000',
    creationTimestamp: timestamp(time.now()),
    ...(call.type.custom ? { generation: 1 } : {}),
  });
}

function exists(call: Call, { metadata }: KubeObject) {
  const found = call.server.store.get(call.type, metadata.namespace, metadata.name);
  return alreadyExists(call.type, metadata.name, found?.metadata.deletionTimestamp !== undefined);
}
