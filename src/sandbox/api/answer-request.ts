import { type Answer, text } from './answer.ts';
import { authorize } from './authorize.ts';
import { create } from './create.ts';
import { deleteCollection, deleteOne } from './delete.ts';
import type { ApiRequest } from './handler.ts';
import type { Identity } from './identities.ts';
import { list } from './list.ts';
import { answerOtherPath } from './other-paths.ts';
import { patch } from './patch.ts';
import type { RequestInfo } from './request-info.ts';
import { respond } from './respond.ts';
import { type Call, namespaceOf, type Server } from './server.ts';
import { failure, methodNotAllowed, noSuchResource, notFound } from './status.ts';
import { answerSubresource } from './subresources.ts';
import { update } from './update.ts';
import { answerVirtual } from './virtual-resources.ts';
import { watch } from './watch.ts';

/** What the server does with a request whose sender is known: authorise, find the resource, act. */
export async function answerRequest(
  server: Server,
  request: ApiRequest,
  info: RequestInfo,
  user: Identity,
): Promise<Answer> {
  authorize(server, info, user);
  if ((request.body?.length ?? 0) > largestBody) {
    throw failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${largestBody}`);
  }
  const path = info.resource;
  if (path === undefined) return answerOtherPath(server, request, info);
  const virtual = answerVirtual(server, request, path, user);
  if (virtual !== undefined) return virtual;
  const type = server.types.byPlural(path.group, path.plural);
  if (type === undefined || type.version !== path.version) return unknownType(server, info);
  return answerResource({ server, request, info, path, type, user });
}

function answerResource(call: Call): Answer | Promise<Answer> {
  const { path, type } = call;
  // A namespaced kind is listed across namespaces without one; a cluster-scoped one never has one.
  if (!type.namespaced && path.namespace !== undefined && type.plural !== 'namespaces') throw noSuchResource();
  if (path.subresource !== undefined) return answerSubresource(call);
  return path.name === undefined ? answerCollection(call) : answerObject(call);
}

const largestBody = 3_145_728;

function answerCollection(call: Call): Answer | Promise<Answer> {
  switch (call.info.verb) {
    case 'list':
      return list(call);
    case 'watch':
      return watch(call);
    case 'create':
      if (call.type.namespaced && call.path.namespace === undefined) throw methodNotAllowed();
      return create(call);
    case 'deletecollection':
      return deleteCollection(call);
    default:
      throw methodNotAllowed();
  }
}

function answerObject(call: Call): Answer {
  switch (call.info.verb) {
    case 'get':
      return get(call);
    case 'update':
      return update(call);
    case 'patch':
      return patch(call);
    case 'delete':
      return deleteOne(call);
    default:
      throw methodNotAllowed();
  }
}

function get(call: Call): Answer {
  const name = call.path.name ?? '';
  const found = call.server.store.get(call.type, namespaceOf(call), name);
  if (found === undefined) throw notFound(call.type, name);
  return respond(call, 200, found);
}

/** Built-in groups answer with a Status, the rest with plain text. */
function unknownType(server: Server, { resource }: RequestInfo): Answer {
  const builtIn = server.types
    .all()
    .some((type) => !type.custom && type.group === resource?.group && type.version === resource.version);
  if (builtIn) throw noSuchResource();
  return text(404, '404 page not found\n');
}
