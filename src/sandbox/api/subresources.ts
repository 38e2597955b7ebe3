import type { Answer } from './answer.ts';
import { patch } from './patch.ts';
import { respond } from './respond.ts';
import { type Call, namespaceOf } from './server.ts';
import { methodNotAllowed, noSuchResource, notFound } from './status.ts';
import { update } from './update.ts';

export function answerSubresource(call: Call): Answer {
  if (call.path.subresource !== 'status' || !call.type.statusSubresource) {
    throw call.type.custom ? notFound(call.type, call.path.name ?? '') : noSuchResource();
  }
  switch (call.info.verb) {
    case 'get': {
      const found = call.server.store.get(call.type, namespaceOf(call), call.path.name ?? '');
      if (found === undefined) throw notFound(call.type, call.path.name ?? '');
      return respond(call, 200, found);
    }
    case 'update':
      return update(call);
    case 'patch':
      return patch(call);
    default:
      throw methodNotAllowed();
  }
}
