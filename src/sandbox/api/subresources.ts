import { withMeta } from '../store/store.ts';
import { type Answer, json } from './answer.ts';
import { decodeObject } from './decode.ts';
import { patch } from './patch.ts';
import { respond } from './respond.ts';
import { hasScale, scale } from './scale.ts';
import { type Call, namespaceOf } from './server.ts';
import { proxyToService } from './service-proxy.ts';
import { methodNotAllowed, noSuchResource, notFound } from './status.ts';
import { requestToken } from './token-request.ts';
import { update } from './update.ts';

/** `…/status`, `…/scale` and the few others that the sandbox has. */
export function answerSubresource(call: Call): Answer {
  const { type, path } = call;
  const at = `${type.group}/${type.plural}/${path.subresource}`;
  if (at === '/services/proxy') return proxyToService(call);
  if (at === '/serviceaccounts/token') return requestToken(call);
  if (at === '/namespaces/finalize') return finalize(call);
  if (path.subresource === 'scale' && hasScale(type)) return scale(call);
  if (path.subresource === 'status' && type.statusSubresource) return answerStatus(call);
  // A custom resource without the subresource answers as if the object itself were missing.
  throw type.custom ? notFound(type, path.name ?? '') : noSuchResource();
}

function answerStatus(call: Call): Answer {
  switch (call.info.verb) {
    case 'get':
      return respond(call, 200, existing(call));
    case 'update':
      return update(call);
    case 'patch':
      return patch(call);
    default:
      throw methodNotAllowed();
  }
}

/** PUT …/finalize: how somebody takes the finalizers out of a Namespace that hangs. */
function finalize(call: Call): Answer {
  if (call.info.verb !== 'update') throw methodNotAllowed();
  const current = existing(call);
  const wanted = decodeObject(call.request, call.type)['spec'] as { finalizers?: readonly string[] } | undefined;
  const changed = { ...current, spec: { ...(current['spec'] as object), finalizers: wanted?.finalizers ?? [] } };
  return json(200, call.server.store.update(call.type, withMeta(changed, {}), call.user.user));
}

function existing(call: Call) {
  const name = call.path.name ?? '';
  const found = call.server.store.get(call.type, namespaceOf(call), name);
  if (found === undefined) throw notFound(call.type, name);
  return found;
}
