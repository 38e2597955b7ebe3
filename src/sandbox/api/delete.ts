import type { KubeObject } from '../store/objects.ts';
import { timestamp, withMeta } from '../store/store.ts';
import { type Answer, json } from './answer.ts';
import { type Body, decodeOptions } from './decode.ts';
import { render } from './list.ts';
import { negotiate } from './negotiate.ts';
import { respond } from './respond.ts';
import { selectorOf } from './selectors.ts';
import { type Call, namespaceOf } from './server.ts';
import { deleted, failure, forbidden, invalidOptions, notFound } from './status.ts';
import { isDryRun } from './write-options.ts';

/** DELETE of one object. */
export function deleteOne(call: Call): Answer {
  const options = deleteOptions(call);
  const name = call.path.name ?? '';
  const found = call.server.store.get(call.type, namespaceOf(call), name);
  refuseProtected(call, name);
  if (found === undefined) throw notFound(call.type, name);
  checkPreconditions(call, found, options);
  const { object, gone } = options.dryRun ? dry(found, options) : remove(call, found, options);
  if (!gone) return respond(call, 200, object);
  // A Pod is deleted gracefully even when there is nothing to wait for, so the object is the answer.
  if (isPod(call)) return respond(call, 200, lastOfPod(object, timestamp(call.server.time.now())));
  return json(200, deleted(call.type, name, object.metadata.uid));
}

/** DELETE of everything that matches; answers with what was there. */
export function deleteCollection(call: Call): Answer {
  const { store } = call.server;
  const options = deleteOptions(call);
  const selector = selectorOf(call.type, call.info.query);
  const matching = store.list(call.type, namespaceOf(call)).filter((object) => selector?.(object) ?? true);
  const resourceVersion = String(store.revision);
  if (!options.dryRun) for (const object of matching) remove(call, object, options);
  return render(call, negotiate(call.request.headers['accept']), { items: matching, metadata: { resourceVersion } });
}

interface DeleteOptions {
  readonly finalizer: string | undefined;
  readonly dryRun: boolean;
  readonly uid: unknown;
  readonly resourceVersion: unknown;
}

const finalizerOf: Readonly<Record<string, string | undefined>> = {
  Foreground: 'foregroundDeletion',
  Orphan: 'orphan',
  Background: undefined,
};

function deleteOptions(call: Call): DeleteOptions {
  const body = decodeOptions(call.request);
  const { query } = call.info;
  const policy = query.get('propagationPolicy') ?? body['propagationPolicy'] ?? 'Background';
  if (typeof policy !== 'string' || !Object.hasOwn(finalizerOf, policy)) {
    throw invalidOptions('DeleteOptions', {
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
      field: 'propagationPolicy',
    });
  }
  const preconditions = (body['preconditions'] ?? {}) as Body;
  const dryRun = [...query.getAll('dryRun'), ...((body['dryRun'] ?? []) as string[])];
  return {
    finalizer: finalizerOf[policy],
    dryRun: isDryRun(dryRun, 'DeleteOptions'),
    uid: preconditions['uid'],
    resourceVersion: preconditions['resourceVersion'],
  };
}

const protectedNamespaces = ['default', 'kube-system', 'kube-public'];

function refuseProtected(call: Call, name: string): void {
  if (call.type.group !== '' || call.type.plural !== 'namespaces') return;
  if (protectedNamespaces.includes(name)) throw forbidden(call.type, name, 'this namespace may not be deleted');
}

function checkPreconditions(call: Call, found: KubeObject, { uid, resourceVersion }: DeleteOptions): void {
  const { metadata } = found;
  if (uid !== undefined && uid !== metadata.uid) {
    throw changed(
      call,
      `the UID in the precondition (${String(uid)}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw changed(
      call,
      `the ResourceVersion in the precondition (${String(resourceVersion)}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

/** The one conflict that names the Kind instead of the resource. */
function changed(call: Call, because: string) {
  const { kind, group } = call.type;
  const name = call.path.name ?? '';
  const shown = group === '' ? kind : `${kind}.${group}`;
  return failure(409, 'Conflict', `Operation cannot be fulfilled on ${shown} "${name}": ${because}`, {
    name,
    ...(group === '' ? {} : { group }),
    kind,
  });
}

function remove(call: Call, found: KubeObject, options: DeleteOptions): { object: KubeObject; gone: boolean } {
  const { name, namespace } = found.metadata;
  const extra = options.finalizer === undefined ? {} : { finalizers: [options.finalizer] };
  return call.server.store.remove(call.type, namespace, name, call.user.user, extra);
}

function dry(found: KubeObject, options: DeleteOptions): { object: KubeObject; gone: boolean } {
  return { object: found, gone: options.finalizer === undefined && (found.metadata.finalizers ?? []).length === 0 };
}

const isPod = (call: Call): boolean => call.type.group === '' && call.type.plural === 'pods';

function lastOfPod(object: KubeObject, now: string): KubeObject {
  const { metadata } = object;
  return withMeta(object, {
    deletionTimestamp: metadata.deletionTimestamp ?? now,
    deletionGracePeriodSeconds: 0,
    ...(metadata.generation === undefined ? {} : { generation: metadata.generation + 1 }),
  });
}
