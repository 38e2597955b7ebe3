import { apiVersionOf, type KubeObject, type ObjectMeta } from '../store/objects.ts';
import { ConflictError, sameJson, timestamp, withMeta } from '../store/store.ts';
import { shape, validate } from './admit.ts';
import type { Answer } from './answer.ts';
import { createObject, refuseHuge, refuseUnknown, warningsFor } from './create.ts';
import { type Body, decodeObject } from './decode.ts';
import { schemaOf } from './definitions.ts';
import { type Ownership, ownedAfter } from './managed-fields.ts';
import { checkMetadataTypes } from './metadata-types.ts';
import { respond } from './respond.ts';
import { type Call, namespaceOf } from './server.ts';
import { badRequest, conflict, internalError, invalid, notFound } from './status.ts';
import { type WriteOptions, writeOptions } from './write-options.ts';

/** PUT of an object or of its status. */
export function update(call: Call): Answer {
  const options = writeOptions(call, 'UpdateOptions');
  const body = decodeObject(call.request, call.type);
  const name = call.path.name ?? '';
  checkPlace(call, body);
  const previous = call.server.store.get(call.type, namespaceOf(call), name);
  if (previous === undefined) return createInstead(call, body, options);
  const metadata = (body['metadata'] ?? {}) as Record<string, unknown>;
  checkPreconditions(call, previous, metadata);
  const next = { ...body, metadata: { ...metadata, name } } as unknown as KubeObject;
  const saved = save(call, { previous, wanted: next, options, ownership: ownershipOf(call, options) });
  refuseUnknown(call.type, options, saved.unknown);
  return respond(call, 200, saved.object, warningsFor(options, saved.unknown));
}

export function ownershipOf(
  call: Call,
  options: WriteOptions,
  operation: Ownership['operation'] = 'Update',
): Ownership {
  const { subresource } = call.path;
  return { manager: options.manager, operation, ...(subresource === undefined ? {} : { subresource }) };
}

export interface Saving {
  readonly previous: KubeObject;
  readonly wanted: KubeObject;
  readonly options: WriteOptions;
  readonly ownership: Ownership;
}

/** Checks, completes and stores a changed object; the way of PUT and of every patch. */
export function save(
  call: Call,
  { previous, wanted, options, ownership }: Saving,
): { object: KubeObject; unknown: readonly string[] } {
  const { server, type } = call;
  const kept = withKeptFields(call, previous, wanted);
  const { object, unknown } = shape(server, type, kept);
  if (options.fieldValidation === 'Strict' && unknown.length > 0) return { object, unknown };
  if (sameApartFromOwnership(previous, object) && ownership.operation === 'Update') {
    return { object: previous, unknown };
  }
  validate(server, type, object, previous);
  const owned =
    ownership.operation === 'Apply'
      ? withMeta(object, { managedFields: wanted.metadata.managedFields ?? [] })
      : ownedAfter(previous, object, ownership, {
          type,
          schema: schemaOf(server.store, type),
          at: timestamp(server.time.now()),
        });
  refuseHuge(call, owned);
  if (options.dryRun) return { object: owned, unknown };
  try {
    return { object: server.store.update(type, owned, call.user.user), unknown };
  } catch (error) {
    if (error instanceof ConflictError) throw conflict(type, previous.metadata.name);
    throw error;
  }
}

/** Throws when the change was made for another version or another life of the object. */
export function checkVersion(call: Call, previous: KubeObject, version: unknown): void {
  if (version === undefined || version === '' || version === previous.metadata.resourceVersion) return;
  if (!/^\d+$/.test(String(version))) {
    throw internalError(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  }
  throw conflict(call.type, previous.metadata.name);
}

export function checkPlace(call: Call, body: Body): void {
  checkMetadataTypes(call.type, body);
  const metadata = (body['metadata'] ?? {}) as Record<string, unknown>;
  const { name } = call.path;
  if (metadata['name'] !== name) {
    throw badRequest(
      `the name of the object (${String(metadata['name'] ?? '')}) does not match the name on the URL (${name})`,
    );
  }
  const namespace = namespaceOf(call);
  if (metadata['namespace'] !== undefined && metadata['namespace'] !== '' && metadata['namespace'] !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

const createdByPut = new Set([
  'coordination.k8s.io/leases',
  '/endpoints',
  '/services',
  '/events',
  'rbac.authorization.k8s.io/roles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/clusterrolebindings',
]);

function createInstead(call: Call, body: Body, options: WriteOptions): Answer {
  const { group, plural } = call.type;
  if (!createdByPut.has(`${group}/${plural}`) || call.path.subresource !== undefined) {
    throw notFound(call.type, call.path.name ?? '');
  }
  const { object, unknown } = createObject(call, body, options, ownershipOf(call, options));
  return respond(call, 201, object, warningsFor(options, unknown));
}

function checkPreconditions(call: Call, previous: KubeObject, metadata: Record<string, unknown>): void {
  const { type } = call;
  const { name, namespace, uid } = previous.metadata;
  const version = metadata['resourceVersion'];
  if (type.custom && (version === undefined || version === '')) {
    throw invalid({ group: type.group, kind: type.plural }, name, [
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: 0: must be specified for an update',
        field: 'metadata.resourceVersion',
      },
    ]);
  }
  if (metadata['uid'] !== undefined && metadata['uid'] !== '' && metadata['uid'] !== uid) {
    const key = ['/registry', ...(type.custom ? [type.group] : []), type.plural, namespace, name]
      .filter((part) => part !== undefined)
      .join('/');
    throw conflict(
      type,
      name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${String(metadata['uid'])}, UID in object meta: ${uid}`,
    );
  }
  checkVersion(call, previous, version);
}

/** What the writer cannot change here: system metadata, and status or everything but status. */
function withKeptFields(call: Call, previous: KubeObject, wanted: KubeObject): KubeObject {
  const { type, path } = call;
  if (path.subresource === 'status') return withStatus(previous, wanted['status']);
  const metadata =
    wanted.metadata === previous.metadata ? previous.metadata : keptMetadata(previous.metadata, wanted.metadata);
  const object: KubeObject = { ...wanted, apiVersion: apiVersionOf(type), kind: type.kind, metadata };
  return type.statusSubresource ? withStatus(object, previous['status']) : object;
}

function keptMetadata(own: ObjectMeta, wanted: ObjectMeta): ObjectMeta {
  const { finalizers, managedFields: _managedFields, ...metadata } = wanted;
  return {
    ...withoutSystemFields(metadata),
    name: own.name,
    ...(own.namespace === undefined ? {} : { namespace: own.namespace }),
    ...systemFields(own),
    ...(wanted.uid === undefined ? {} : { uid: wanted.uid }),
    ...(finalizers === undefined || finalizers === null || finalizers.length === 0 ? {} : { finalizers }),
    ...(own.managedFields === undefined ? {} : { managedFields: own.managedFields }),
  };
}

function withStatus(object: KubeObject, status: unknown): KubeObject {
  const { status: _status, ...rest } = object;
  return status === undefined ? rest : { ...rest, status };
}

const systemNames = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generateName',
  'selfLink',
] as const;

function systemFields(metadata: ObjectMeta): Record<string, unknown> {
  const source = metadata as unknown as Record<string, unknown>;
  return Object.fromEntries(
    systemNames.filter((field) => source[field] !== undefined).map((field) => [field, source[field]]),
  );
}

function withoutSystemFields(metadata: Record<string, unknown>): Record<string, unknown> {
  const system: readonly string[] = systemNames;
  return Object.fromEntries(
    Object.entries(metadata).filter(([field, value]) => !system.includes(field) && !isEmpty(value)),
  );
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'object' && (Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0));

function sameApartFromOwnership(previous: KubeObject, next: KubeObject): boolean {
  if (previous.metadata === next.metadata) return sameJson(previous, next);
  return sameJson(
    { ...previous, metadata: { ...previous.metadata, managedFields: undefined } },
    { ...next, metadata: { ...next.metadata, managedFields: undefined } },
  );
}
