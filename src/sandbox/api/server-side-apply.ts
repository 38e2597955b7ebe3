import { parse } from 'yaml';
import { apiVersionOf, type KubeObject } from '../store/objects.ts';
import { sameJson, timestamp } from '../store/store.ts';
import type { Answer } from './answer.ts';
import { applyMerge, withoutFields } from './apply-merge.ts';
import { createObject } from './create.ts';
import type { Body } from './decode.ts';
import { schemaOf } from './definitions.ts';
import { type FieldSet, intersection, isEmpty, members, minus, shownPath } from './field-set.ts';
import {
  entryOf,
  isSame,
  type ManagedFields,
  managersOf,
  type Ownership,
  ownable,
  rootShape,
  sameManagers,
  withManagers,
  withoutEmptyMetadata,
} from './managed-fields.ts';
import { isFields } from './merge-patch.ts';
import { fieldChanges, fieldsOf } from './object-fields.ts';
import { flag } from './request-info.ts';
import { respond } from './respond.ts';
import { prune } from './schema.ts';
import { type Call, namespaceOf } from './server.ts';
import { badRequest, conflict, failure, internalError, invalidOptions } from './status.ts';
import { checkPlace, checkVersion, ownershipOf, save } from './update.ts';
import type { WriteOptions } from './write-options.ts';

/** PATCH with application/apply-patch+yaml: the sender owns exactly the fields it sends. */
export function apply(call: Call, options: WriteOptions): Answer {
  if (call.info.query.get('fieldManager') === null) throw managerMissing();
  const body = decodeApplied(call);
  const applied = ownable(body as unknown as KubeObject);
  const ownership = ownershipOf(call, options, 'Apply');
  const live = call.server.store.get(call.type, namespaceOf(call), call.path.name ?? '');
  if (live === undefined) return applyNew(call, body, applied, { options, ownership });
  checkVersion(call, live, (body['metadata'] as Body)['resourceVersion']);
  const next = applyTo(call, live, applied, ownership);
  if (next === live) return respond(call, 200, live);
  return respond(call, 200, save(call, { previous: live, wanted: next, options, ownership }).object);
}

const managerMissing = () =>
  invalidOptions('PatchOptions', {
    reason: 'FieldValueRequired',
    message: 'Required value: is required for apply patch',
    field: 'fieldManager',
  });

function decodeApplied(call: Call): Body {
  const { type } = call;
  const object = parseApplied(call.request.body ?? '');
  const [apiVersion, kind] = [String(object['apiVersion'] ?? ''), String(object['kind'] ?? '')];
  if (apiVersion !== apiVersionOf(type) || kind !== type.kind) {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${kind}`);
  }
  checkPlace(call, object);
  if ((object['metadata'] as Body)['managedFields'] !== undefined) {
    throw badRequest('metadata.managedFields must be nil');
  }
  refuseUndeclared(call, object);
  return object;
}

function parseApplied(text: string): Body {
  try {
    // JSON is YAML too, but its own parser is much faster.
    const value: unknown = text.startsWith('{') ? JSON.parse(text) : parse(text);
    return isFields(value) ? value : {};
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function refuseUndeclared(call: Call, object: Body): void {
  const schema = schemaOf(call.server.store, call.type);
  if (schema === undefined) return;
  const [unknown] = prune(schema, object).unknown;
  if (unknown === undefined) return;
  throw internalError(
    `failed to create typed patch object (${call.path.subresource ?? ''}/${call.path.name}; ${apiVersionOf(call.type)}, Kind=${call.type.kind}): .${unknown}: field not declared in schema`,
  );
}

function applyNew(
  call: Call,
  body: Body,
  applied: Body,
  { options, ownership }: { options: WriteOptions; ownership: Ownership },
): Answer {
  const { uid } = body['metadata'] as { uid?: string };
  if (uid !== undefined) {
    throw conflict(
      call.type,
      call.path.name ?? '',
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
  const fields = fieldsOf(applied, shapeOf(call));
  const { object } = createObject(call, body, options, { ...ownership, fields });
  return respond(call, 201, object);
}

function shapeOf(call: Call) {
  return rootShape(call.type, schemaOf(call.server.store, call.type));
}

/** The live object after the apply, owners included; the same object when nothing changes. */
function applyTo(call: Call, live: KubeObject, applied: Body, ownership: Ownership): KubeObject {
  const shape = shapeOf(call);
  const at = timestamp(call.server.time.now());
  const wanted = withoutEmptyMetadata(fieldsOf(applied, shape));
  const before = knownManagers(call, live, at);
  const mine = before.find((entry) => isSame(entry, ownership));
  const others = before.filter((entry) => entry !== mine);
  const merged = applyMerge(live, applied, shape) as KubeObject;
  const { changed } = fieldChanges(ownable(live), ownable(merged), shape);
  const remaining = resolveConflicts(call, others, intersection(changed, wanted));
  const abandoned = remaining.reduce(
    (left, { fieldsV1 }) => minus(left, fieldsV1),
    minus(mine?.fieldsV1 ?? {}, wanted),
  );
  const next = isEmpty(abandoned) ? merged : (withoutFields(merged, abandoned, shape) as KubeObject);
  const managers = [...remaining, entryOf(ownership, call.type, at, wanted)];
  const same = sameJson(ownable(next), ownable(live));
  if (same && mine !== undefined && sameManagers(managersOf(withManagers(next, managers)), before)) return live;
  return withManagers(next, managers);
}

/** An object that nobody applied before belongs to whoever made it, under a name for all of them. */
function knownManagers(call: Call, live: KubeObject, at: string): readonly ManagedFields[] {
  const known = managersOf(live);
  if (known.length > 0) return known;
  const everything = withoutEmptyMetadata(fieldsOf(ownable(live), shapeOf(call)));
  return [entryOf({ manager: 'before-first-apply', operation: 'Update' }, call.type, at, everything)];
}

function resolveConflicts(call: Call, others: readonly ManagedFields[], contested: FieldSet): ManagedFields[] {
  const force = flag(call.info.query, 'force');
  const conflicts = others.flatMap((entry) =>
    members(intersection(contested, entry.fieldsV1)).map((path) => ({ entry, path: shownPath(path) })),
  );
  if (conflicts.length > 0 && !force) throw applyConflict(conflicts);
  return others.map((entry) => ({ ...entry, fieldsV1: minus(entry.fieldsV1, contested) }));
}

function applyConflict(conflicts: readonly { entry: ManagedFields; path: string }[]) {
  const causes = conflicts.map(({ entry, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${shownManager(entry)}`,
    field: path,
  }));
  const owners = [...new Set(conflicts.map(({ entry }) => shownManager(entry)))];
  const parts = owners.map((owner) => {
    const paths = conflicts.filter(({ entry }) => shownManager(entry) === owner).map(({ path }) => path);
    return paths.length === 1
      ? `conflict with ${owner}: ${paths[0]}`
      : `conflicts with ${owner}:${paths.map((path) => `\n- ${path}`).join('')}`;
  });
  const count = `${conflicts.length} conflict${conflicts.length === 1 ? '' : 's'}`;
  return failure(409, 'Conflict', `Apply failed with ${count}: ${parts.join('\n')}`, { causes });
}

function shownManager({ manager, operation, apiVersion, subresource }: ManagedFields): string {
  const part = subresource === undefined ? '' : ` with subresource "${subresource}"`;
  return operation === 'Apply' ? `"${manager}"${part}` : `"${manager}"${part} using ${apiVersion}`;
}
