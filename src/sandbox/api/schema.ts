import type { Cause } from './status.ts';

/** The part of an OpenAPI v3 schema that the sandbox heeds. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly description?: string;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Every violation of required, type and enum, in the order in which Kubernetes lists them. */
export function violations(schema: Schema, object: Fields): Cause[] {
  const causes: Cause[] = [];
  checkFields(withoutMetadata(schema), object, '', causes);
  return causes;
}

/** The object without what its schema does not declare, and the paths of what was taken away. */
export function prune(schema: Schema, object: Fields): { object: Fields; unknown: string[] } {
  const unknown: string[] = [];
  const pruned = pruneFields(withRoot(schema), object, '', unknown);
  return { object: pruned, unknown: unknown.sort() };
}

/** Fills the defaults of the schema; the same object when there are none to fill. */
export function withDefaults(schema: Schema, object: Fields): Fields {
  return fillFields(schema, object);
}

function checkFields(schema: Schema, object: Fields, path: string, causes: Cause[]): void {
  for (const name of schema.required ?? []) {
    if (object[name] === undefined) {
      causes.push({ reason: 'FieldValueRequired', message: 'Required value', field: join(path, name) });
    }
  }
  for (const name of Object.keys(object).sort()) {
    const value = object[name];
    const declared = schema.properties?.[name] ?? additional(schema);
    if (declared !== undefined && value !== undefined) check(declared, value, join(path, name), causes);
  }
}

function check(schema: Schema, value: unknown, path: string, causes: Cause[]): void {
  const actual = typeOf(value);
  if (!isOfType(schema, actual)) {
    const wanted = schema.type ?? 'integer,string';
    causes.push({
      reason: 'FieldValueTypeInvalid',
      message: `Invalid value: "${actual}": ${path} in body must be of type ${wanted}: "${actual}"`,
      field: path,
    });
    return;
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    const supported = schema.enum.map((choice) => JSON.stringify(choice)).join(', ');
    causes.push({
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`,
      field: path,
    });
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) check(items, item, `${path}[${index}]`, causes);
  } else if (actual === 'object') checkFields(schema, value as Fields, path, causes);
}

function isOfType(schema: Schema, actual: string): boolean {
  if (actual === 'null') return schema.nullable === true || schema.type === undefined;
  if (schema['x-kubernetes-int-or-string'] === true) return actual === 'integer' || actual === 'string';
  return schema.type === undefined || schema.type === actual || (schema.type === 'number' && actual === 'integer');
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function pruneFields(schema: Schema, object: Fields, path: string, unknown: string[]): Fields {
  const keepsAll = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const kept: Record<string, unknown> = {};
  let changed = false;
  for (const [name, value] of Object.entries(object)) {
    const declared = schema.properties?.[name] ?? additional(schema);
    if (declared === undefined && !keepsAll) {
      unknown.push(join(path, name));
      changed = true;
      continue;
    }
    kept[name] = declared === undefined ? value : pruneValue(declared, value, join(path, name), unknown);
    changed ||= kept[name] !== value;
  }
  return changed ? kept : object;
}

function pruneValue(schema: Schema, value: unknown, path: string, unknown: string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    const pruned = value.map((item, index) => pruneValue(items, item, `${path}[${index}]`, unknown));
    return pruned.some((item, index) => item !== value[index]) ? pruned : value;
  }
  // `additionalProperties: true` and a schema of any type say nothing about what is inside.
  if (schema.additionalProperties === true || schema.type === undefined) return value;
  return pruneFields(
    schema['x-kubernetes-embedded-resource'] === true ? withRoot(schema) : schema,
    value as Fields,
    path,
    unknown,
  );
}

function fillFields(schema: Schema, object: Fields): Fields {
  let filled: Record<string, unknown> | undefined;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value = object[name] ?? property.default;
    const next = fillValue(property, value);
    if (next !== object[name]) filled = { ...(filled ?? object), [name]: next };
  }
  return filled ?? object;
}

function fillValue(schema: Schema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return fillFields(schema, value as Fields);
  const { items } = schema;
  if (items === undefined) return value;
  const filled = value.map((item) => fillValue(items, item));
  return filled.some((item, index) => item !== value[index]) ? filled : value;
}

function additional(schema: Schema): Schema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true };
const roots = new WeakMap<Schema, Schema>();
const bare = new WeakMap<Schema, Schema>();

/** What every object has, whether its schema says so or not. */
function withRoot(schema: Schema): Schema {
  let found = roots.get(schema);
  if (found === undefined) {
    const root = { apiVersion: anything, kind: anything, metadata: anything };
    found = { ...schema, properties: { ...schema.properties, ...root } };
    roots.set(schema, found);
  }
  return found;
}

/** Metadata has its own rules. */
function withoutMetadata(schema: Schema): Schema {
  let found = bare.get(schema);
  if (found === undefined) {
    const { metadata: _metadata, ...properties } = schema.properties ?? {};
    found = { ...schema, properties };
    bare.set(schema, found);
  }
  return found;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
