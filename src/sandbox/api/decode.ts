import { parse } from 'yaml';
import { apiVersionOf, type ResourceType } from '../store/objects.ts';
import type { ApiRequest } from './handler.ts';
import { decodeProtobuf } from './protobuf.ts';
import { badRequest, failure, invalid } from './status.ts';

export type Body = Readonly<Record<string, unknown>>;

/** The object in the body of a create or update, whatever it is written in. */
export function decodeObject(request: ApiRequest, type: ResourceType): Body {
  const value = decodeAny(request, type.kind, type.custom);
  return type.custom ? checkCustomKind(value, request.body ?? '', type) : checkKind(value, type);
}

/** A body that may also be absent, as DeleteOptions are. */
export function decodeOptions(request: ApiRequest): Body {
  if (request.body === undefined || request.body === '') return {};
  return decodeAny(request, 'DeleteOptions', false);
}

export function mediaType(request: ApiRequest): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
}

function decodeAny(request: ApiRequest, kind: string, custom: boolean): Body {
  const text = request.body ?? '';
  switch (mediaType(request)) {
    case '':
    case 'application/json':
      return decodeJson(text, kind);
    case 'application/yaml':
      return decodeYaml(text, kind);
    case 'application/vnd.kubernetes.protobuf':
      if (!custom) return decodeProtobuf(Buffer.from(text, 'latin1'));
      throw unsupportedMediaType(['application/json', 'application/yaml']);
    default:
      throw unsupportedMediaType(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']);
  }
}

export const unsupportedMediaType = (accepted: readonly string[]) =>
  failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

function decodeJson(text: string, kind: string): Body {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unrecognized(kind, `couldn't get version/kind; json parse error: ${goJsonError(error, text)}`, text);
  }
  return asObject(value, kind, text);
}

function decodeYaml(text: string, kind: string): Body {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw unrecognized(kind, `yaml: ${error instanceof Error ? error.message : String(error)}`, text);
  }
  return asObject(value, kind, text);
}

function asObject(value: unknown, kind: string, text: string): Body {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Body;
  const actual = Array.isArray(value) ? 'array' : typeof value;
  throw unrecognized(
    kind,
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${actual} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    text,
  );
}

const unrecognized = (kind: string, why: string, text: string) =>
  badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${shown(text)})`);

function shown(text: string): string {
  if (text === '') return '<empty>';
  const printable = text.startsWith('{') ? text : Buffer.from(text).toString('hex');
  return printable.length > 30 ? `${printable.slice(0, 30)} ...` : printable;
}

/** Go's words for what is wrong with a text that is not JSON. */
export function goJsonError(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
  if (position >= text.length || /end of JSON|Unterminated/.test(message)) return 'unexpected end of JSON input';
  return `invalid character '${text[position]}' looking for beginning of value`;
}

function checkCustomKind(value: Body, text: string, type: ResourceType): Body {
  const { kind, apiVersion } = value;
  if (typeof kind !== 'string' || kind === '') {
    throw unrecognized(type.kind, `Object 'Kind' is missing in '${text}'`, text);
  }
  const name = String((value['metadata'] as Body | undefined)?.['name'] ?? '');
  const found = { group: type.group, kind };
  if (kind !== type.kind) throw invalid(found, name, [must('kind', kind, type.kind)]);
  if (apiVersion !== apiVersionOf(type)) {
    throw invalid(found, name, [must('apiVersion', String(apiVersion), apiVersionOf(type))]);
  }
  return value;
}

const must = (field: string, actual: string, wanted: string) => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: "${actual}": must be ${wanted}`,
  field,
});

/** Built-in kinds may leave out kind and apiVersion. */
function checkKind(value: Body, type: ResourceType): Body {
  const kind = value['kind'] ?? type.kind;
  const version = String(value['apiVersion'] ?? apiVersionOf(type));
  const short = version.split('/').at(-1) ?? version;
  const cannot = `${String(kind)} in version "${short}" cannot be handled as a ${type.kind}`;
  if (kind !== type.kind) {
    throw badRequest(
      `${cannot}: converting (${short}.${String(kind)}) to (${type.group === '' ? 'core' : type.group}.${type.kind}): unknown conversion`,
    );
  }
  if (version !== apiVersionOf(type)) {
    throw badRequest(
      `${cannot}: no kind "${type.kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:110"`,
    );
  }
  return { ...value, kind, apiVersion: version };
}
