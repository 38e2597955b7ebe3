import { type Field, type Message, messages } from './protobuf-messages.ts';
import { failure } from './status.ts';

/** Reads the few kinds that kubectl sends in protobuf and nowhere else: namespaces, config, rights, reviews. */
export function decodeProtobuf(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (Buffer.from(bytes.subarray(0, 4)).toString('latin1') !== 'k8s\u0000') throw unreadable();
  const envelope = read(bytes.subarray(4), messages.Unknown);
  const { apiVersion, kind } = (envelope['typeMeta'] ?? {}) as { apiVersion?: string; kind?: string };
  const message = Object.hasOwn(messages, kind ?? '') ? messages[kind ?? ''] : undefined;
  const raw = envelope['raw'];
  if (message === undefined || !(raw instanceof Uint8Array)) throw unreadable();
  return { apiVersion, kind, ...read(raw, message) };
}

const unreadable = () =>
  failure(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
  );

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function read(bytes: Uint8Array, message: Message = {}): Record<string, unknown> {
  const cursor: Cursor = { bytes, at: 0 };
  const object: Record<string, unknown> = {};
  while (cursor.at < bytes.length) {
    const tag = varint(cursor);
    const field = message[tag >> 3];
    const value = wireValue(cursor, tag & 7);
    if (field !== undefined) put(object, field, value);
  }
  return object;
}

function put(object: Record<string, unknown>, field: Field, value: number | Uint8Array): void {
  const { name, map, repeated } = field;
  if (map) {
    const entry = read(value as Uint8Array, {
      1: { name: 'key', type: 'string' },
      2: { ...field, name: 'value', map: false },
    });
    object[name] = { ...(object[name] as object), [String(entry['key'] ?? '')]: entry['value'] ?? '' };
    return;
  }
  const decoded = decodeValue(field, value);
  if (repeated) object[name] = [...((object[name] as unknown[] | undefined) ?? []), decoded];
  else if (!isZero(decoded)) object[name] = decoded;
}

function decodeValue({ type }: Field, value: number | Uint8Array): unknown {
  if (typeof value === 'number') return type === 'bool' ? value !== 0 : value;
  if (type === 'string') return Buffer.from(value).toString('utf8');
  if (type === 'base64') return Buffer.from(value).toString('base64');
  if (type === 'raw') return value;
  return typeof type === 'object' ? read(value, type) : undefined;
}

/** Go writes empty strings, and messages in which nothing is set; JSON would leave them out. */
function isZero(value: unknown): boolean {
  if (value === '' || value === undefined) return true;
  return (
    typeof value === 'object' && !(value instanceof Uint8Array) && value !== null && Object.keys(value).length === 0
  );
}

function wireValue(cursor: Cursor, wireType: number): number | Uint8Array {
  switch (wireType) {
    case 0:
      return varint(cursor);
    case 1:
      return take(cursor, 8);
    case 2:
      return take(cursor, varint(cursor));
    case 5:
      return take(cursor, 4);
    default:
      throw unreadable();
  }
}

function take(cursor: Cursor, length: number): Uint8Array {
  const end = cursor.at + length;
  if (end > cursor.bytes.length) throw unreadable();
  const found = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return found;
}

function varint(cursor: Cursor): number {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined) throw unreadable();
    value += (byte & 127) * factor;
    if (byte < 128) return value;
  }
}
