import { failure } from './status.ts';

export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
}

/** Bearer token → who it stands for. */
export type Identities = ReadonlyMap<string, Identity>;

export const administrator: Identity = {
  user: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
};

/** Without `identities` nobody is asked and everybody is the administrator. */
export function authenticate(identities: Identities | undefined, authorization: string | undefined): Identity {
  if (identities === undefined) return administrator;
  if (authorization === undefined) return anonymous;
  const token = /^bearer\s+(.+)$/i.exec(authorization)?.[1];
  const identity = token === undefined ? undefined : identities.get(token.trim());
  if (identity === undefined) throw failure(401, 'Unauthorized', 'Unauthorized');
  return withImpliedGroups(identity);
}

/** `system:serviceaccount:<namespace>:<name>` with the groups every service account is in. */
export function serviceAccountIdentity(namespace: string, name: string, uid?: string): Identity {
  return {
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    ...(uid === undefined ? {} : { uid }),
  };
}

/** Whom the request is made for, when its sender asks to act as somebody else; undefined when not. */
export function impersonated(headers: Readonly<Record<string, string>>): Identity | undefined {
  const user = headers['impersonate-user'];
  if (user === undefined) return undefined;
  const groups = (headers['impersonate-group'] ?? '').split(',').map((group) => group.trim());
  return withImpliedGroups({ user, groups: groups.filter((group) => group !== '') });
}

const anonymous: Identity = { user: 'system:anonymous', groups: ['system:unauthenticated'] };

const completed = new WeakMap<Identity, Identity>();

function withImpliedGroups(identity: Identity): Identity {
  if (identity.groups.includes('system:authenticated')) return identity;
  let found = completed.get(identity);
  if (found === undefined) {
    const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(identity.user);
    const implied = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`];
    found = { ...identity, groups: [...new Set([...implied, ...identity.groups, 'system:authenticated'])] };
    completed.set(identity, found);
  }
  return found;
}
