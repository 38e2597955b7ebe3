import { apiVersionOf, type KubeObject, type ResourceType } from '../store/objects.ts';
import { sameJson } from '../store/store.ts';
import { type FieldSet, isEmpty, minus, union } from './field-set.ts';
import type { Shape } from './field-shapes.ts';
import { fieldChanges } from './object-fields.ts';
import type { Schema } from './schema.ts';

/** Who writes, and how. */
export interface Ownership {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: string;
  /** Of an apply: exactly what it sent. */
  readonly fields?: FieldSet;
}

/** One entry of metadata.managedFields. */
export interface ManagedFields extends Omit<Ownership, 'fields'> {
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldSet;
}

/** What ownership is judged by: the object without what the server itself writes. */
export function ownable(object: KubeObject): Readonly<Record<string, unknown>> {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  let own = ownMetadata.get(metadata);
  if (own === undefined) {
    own = Object.fromEntries(Object.entries(metadata).filter(([field]) => !serverFields.has(field)));
    ownMetadata.set(metadata, own);
  }
  return { ...rest, metadata: own };
}

/** The same metadata gives the same value, so that a comparison sees at once that nothing changed there. */
const ownMetadata = new WeakMap<object, object>();

/** Gives a new object to its maker. */
export function ownedFrom(
  object: KubeObject,
  ownership: Ownership,
  { type, schema, at }: { type: ResourceType; schema: Schema | undefined; at: string },
): KubeObject {
  const changed = ownership.fields ?? fieldChanges({ metadata: {} }, ownable(object), rootShape(type, schema)).changed;
  return withManagers(object, [entryOf(ownership, type, at, withoutEmptyMetadata(changed))]);
}

/** Moves what an update changed from its owners to the one who changed it. */
export function ownedAfter(
  previous: KubeObject,
  next: KubeObject,
  ownership: Ownership,
  { type, schema, at }: { type: ResourceType; schema: Schema | undefined; at: string },
): KubeObject {
  const { changed, removed } = fieldChanges(ownable(previous), ownable(next), rootShape(type, schema));
  const before = managersOf(previous);
  const mine = before.find((entry) => isSame(entry, ownership));
  const others = before
    .filter((entry) => entry !== mine)
    .map((entry) => ({ ...entry, fieldsV1: minus(minus(entry.fieldsV1, changed), removed) }));
  const fields = union(minus(mine?.fieldsV1 ?? {}, removed), changed);
  return withManagers(next, [...others, entryOf(ownership, type, at, fields)]);
}

export function managersOf(object: KubeObject): readonly ManagedFields[] {
  return (object.metadata.managedFields ?? []) as readonly ManagedFields[];
}

export function isSame(entry: Ownership, other: Ownership): boolean {
  return (
    entry.manager === other.manager && entry.operation === other.operation && entry.subresource === other.subresource
  );
}

export function entryOf(ownership: Ownership, type: ResourceType, at: string, fieldsV1: FieldSet): ManagedFields {
  const { manager, operation, subresource } = ownership;
  return {
    manager,
    operation,
    apiVersion: apiVersionOf(type),
    time: at,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** Applies before updates, then by time, then by name; owners of nothing are dropped. */
export function withManagers(object: KubeObject, entries: readonly ManagedFields[]): KubeObject {
  const { managedFields: _old, ...metadata } = object.metadata;
  const kept = entries.filter(({ fieldsV1 }) => !isEmpty(fieldsV1)).sort(byOrder);
  return { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, managedFields: kept } };
}

export function sameManagers(a: readonly ManagedFields[], b: readonly ManagedFields[]): boolean {
  const timeless = (entries: readonly ManagedFields[]) => entries.map((entry) => ({ ...entry, time: '' }));
  return sameJson(timeless(a), timeless(b));
}

export function rootShape(type: ResourceType, schema: Schema | undefined): Shape {
  return { field: '', custom: type.custom, schema };
}

/** Metadata in which nothing is owned is not mentioned. */
export function withoutEmptyMetadata(fields: FieldSet): FieldSet {
  const { 'f:metadata': metadata, ...rest } = fields;
  return metadata === undefined || isEmpty(metadata) ? rest : { 'f:metadata': metadata, ...rest };
}

const serverFields = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]);

function byOrder(a: ManagedFields, b: ManagedFields): number {
  const key = ({ operation, time, manager }: ManagedFields) => `${operation} ${time} ${manager}`;
  return key(a) < key(b) ? -1 : 1;
}
