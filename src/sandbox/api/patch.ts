import { applyPatch, type Operation } from 'rfc6902';
import type { KubeObject } from '../store/objects.ts';
import type { Answer } from './answer.ts';
import { warningsFor } from './create.ts';
import { goJsonError, mediaType, unsupportedMediaType } from './decode.ts';
import { isFields, mergePatch } from './merge-patch.ts';
import { flag } from './request-info.ts';
import { respond } from './respond.ts';
import { type Call, namespaceOf } from './server.ts';
import { apply } from './server-side-apply.ts';
import { badRequest, failure, invalid, invalidOptions, notFound } from './status.ts';
import { strategicMerge } from './strategic-merge.ts';
import { checkPlace, checkVersion, ownershipOf, save } from './update.ts';
import { type WriteOptions, writeOptions } from './write-options.ts';

/** PATCH in any of its four languages. */
export function patch(call: Call): Answer {
  const language = mediaType(call.request);
  checkLanguage(call, language);
  const options = writeOptions(call, 'PatchOptions');
  if (language === 'application/apply-patch+yaml') return apply(call, options);
  if (flag(call.info.query, 'force')) throw forceOutsideApply();
  const change = changeFor(call, language);
  const previous = call.server.store.get(call.type, namespaceOf(call), call.path.name ?? '');
  if (previous === undefined) throw notFound(call.type, call.path.name ?? '');
  return respondToChange(call, previous, change(previous), options);
}

function respondToChange(call: Call, previous: KubeObject, next: KubeObject, options: WriteOptions): Answer {
  checkPlace(call, next);
  checkVersion(call, previous, next.metadata.resourceVersion);
  const { object, unknown } = save(call, { previous, wanted: next, options, ownership: ownershipOf(call, options) });
  if (options.fieldValidation === 'Strict' && unknown.length > 0) throw unknownInPatch(next, unknown);
  return respond(call, 200, object, warningsFor(options, unknown));
}

const languages = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

function checkLanguage(call: Call, language: string): void {
  const usable = call.type.custom ? languages.filter((known) => !known.includes('strategic')) : languages;
  if (usable.includes(language)) return;
  if (call.type.custom) throw unsupportedMediaType(usable);
  throw failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

const forceOutsideApply = () =>
  invalidOptions('PatchOptions', {
    reason: 'FieldValueForbidden',
    message: 'Forbidden: may not be specified for non-apply patch',
    field: 'force',
  });

function changeFor(call: Call, language: string): (previous: KubeObject) => KubeObject {
  const body = decodePatch(call.request.body ?? '');
  if (language === 'application/json-patch+json') return jsonPatch(body);
  if (!isFields(body)) throw badRequest('error decoding patch: json: cannot unmarshal into a map');
  if (language === 'application/merge-patch+json') return (previous) => mergePatch(previous, body) as KubeObject;
  return (previous) => strategicMerge(previous, body) as KubeObject;
}

function decodePatch(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${goJsonError(error, text)}`);
  }
}

function jsonPatch(body: unknown): (previous: KubeObject) => KubeObject {
  if (!Array.isArray(body)) {
    const actual = typeof body;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${actual} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (!body.every(isOperation)) throw badRequest('error decoding patch: not a list of operations with a path');
  return (previous) => {
    const next = structuredClone(previous);
    const failed = applyPatch(next, body as Operation[]).some((error) => error !== null);
    if (failed) throw failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
    return next;
  };
}

function isOperation(value: unknown): boolean {
  if (!isFields(value) || typeof value['path'] !== 'string') return false;
  return typeof value['from'] === 'string' || (value['op'] !== 'copy' && value['op'] !== 'move');
}

function unknownInPatch(next: KubeObject, unknown: readonly string[]) {
  const fields = unknown.map((field) => `unknown field "${field}"`).join(', ');
  return invalid({ group: '', kind: '' }, '', [
    {
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(JSON.stringify(next))}: strict decoding error: ${fields}`,
      field: 'patch',
    },
  ]);
}
