import { type Identity, impersonated } from './identities.ts';
import { type Attributes, decide } from './rbac.ts';
import type { RequestInfo } from './request-info.ts';
import type { Server } from './server.ts';
import { failure, forbidden } from './status.ts';

/** Throws the 403 that says who may not do what, before anybody looks whether it exists. */
export function authorize(server: Server, info: RequestInfo, user: Identity): void {
  const wanted = attributesOf(info);
  if (decide(server.store, user, wanted).allowed) return;
  if (wanted.path !== undefined) {
    const message = `forbidden: User "${user.user}" cannot ${wanted.verb} path "${wanted.path}"`;
    throw failure(403, 'Forbidden', message, {});
  }
  const { group = '', resource = '', subresource, namespace } = wanted;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  throw forbidden(
    { group, plural: resource },
    wanted.name ?? '',
    `User "${user.user}" cannot ${wanted.verb} resource "${what}" in API group "${group}" ${where}`,
  );
}

/** Who the request counts as: its sender, or whom the sender may speak for. */
export function actingAs(server: Server, sender: Identity, headers: Readonly<Record<string, string>>): Identity {
  const other = impersonated(headers);
  if (other === undefined) return sender;
  const wanted = { verb: 'impersonate', group: '', resource: 'users', name: other.user };
  if (decide(server.store, sender, wanted).allowed) return other;
  throw forbidden(
    { group: '', plural: 'users' },
    other.user,
    `User "${sender.user}" cannot impersonate resource "users" in API group "" at the cluster scope`,
  );
}

function attributesOf({ path, verb, resource }: RequestInfo): Attributes {
  if (resource === undefined) return { verb, path };
  const { group, plural, namespace, name, subresource } = resource;
  return {
    verb,
    group,
    resource: plural,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}
