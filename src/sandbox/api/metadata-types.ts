import type { ResourceType } from '../store/objects.ts';
import type { Body } from './decode.ts';
import { isFields } from './merge-patch.ts';
import { badRequest } from './status.ts';

/** Throws what Go's decoder says when metadata is not made as metadata is; everything behind may then rely on it. */
export function checkMetadataTypes(type: ResourceType, body: Body): void {
  const metadata = body['metadata'];
  if (metadata === undefined || metadata === null) return;
  if (!isFields(metadata)) throw wrongType(type, metadata, 'metadata', 'v1.ObjectMeta');
  for (const [field, { words, fits }] of rules) {
    const value = metadata[field];
    if (value !== undefined && value !== null && !fits(value)) {
      throw wrongType(type, offender(value), `ObjectMeta.metadata.${field}`, words);
    }
  }
}

interface TypeRule {
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const text: TypeRule = { words: 'string', fits: isText };
const texts: TypeRule = {
  words: 'string',
  fits: (value) => isFields(value) && Object.values(value).every((item) => item === null || isText(item)),
};
const textList: TypeRule = { words: '[]string', fits: (value) => Array.isArray(value) && value.every(isText) };
const owners: TypeRule = {
  words: '[]v1.OwnerReference',
  fits: (value) => Array.isArray(value) && value.every((item) => isFields(item) && isText(item['uid'])),
};

const rules: ReadonlyMap<string, TypeRule> = new Map([
  ['name', text],
  ['generateName', text],
  ['namespace', text],
  ['uid', text],
  ['resourceVersion', text],
  ['labels', texts],
  ['annotations', texts],
  ['finalizers', textList],
  ['ownerReferences', owners],
]);

/** In a map, the decoder names the value that does not fit, not the map. */
function offender(value: unknown): unknown {
  if (!isFields(value)) return value;
  return Object.values(value).find((item) => !isText(item)) ?? value;
}

function wrongType(type: ResourceType, value: unknown, field: string, words: string) {
  const { kind, version } = type;
  return badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: json: cannot unmarshal ${goType(value)} into Go struct field ${field} of type ${words}`,
  );
}

function goType(value: unknown): string {
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'array' : typeof value;
}
