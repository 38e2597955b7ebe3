import { timestamp } from '../store/store.ts';
import { type Answer, json } from './answer.ts';
import { decodeObject } from './decode.ts';
import { type Call, namespaceOf } from './server.ts';
import { methodNotAllowed, notFound } from './status.ts';

/** Answers a TokenRequest. The token has the right shape but opens nothing: identities are given to `createApi`. */
export function requestToken(call: Call): Answer {
  if (call.info.verb !== 'create') throw methodNotAllowed();
  const name = call.path.name ?? '';
  const account = call.server.store.get(call.type, namespaceOf(call), name);
  if (account === undefined) throw notFound(call.type, name);
  const body = decodeObject(call.request, { ...call.type, group: 'authentication.k8s.io', kind: 'TokenRequest' });
  const asked = (body['spec'] ?? {}) as { audiences?: readonly string[]; expirationSeconds?: number };
  const seconds = asked.expirationSeconds ?? 3600;
  const now = call.server.time.now();
  return json(201, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: {
      name,
      namespace: account.metadata.namespace,
      uid: account.metadata.uid,
      creationTimestamp: timestamp(now),
    },
    spec: {
      audiences: asked.audiences ?? ['https://kubernetes.default.svc'],
      expirationSeconds: seconds,
      boundObjectRef: null,
    },
    status: { token: `sandbox.${call.server.nextSuffix()}`, expirationTimestamp: timestamp(now + seconds * 1000) },
  });
}
