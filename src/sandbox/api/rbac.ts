import type { KubeObject, ResourceType } from '../store/objects.ts';
import { createResourceTypes } from '../store/resource-types.ts';
import type { Store } from '../store/store.ts';
import { builtInBindings, clusterAdminRules, type Rule } from './built-in-roles.ts';
import type { Identity } from './identities.ts';

/** What somebody wants to do: to a resource, or with a path. */
export interface Attributes {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
}

export interface Decision {
  readonly allowed: boolean;
  readonly reason?: string;
}

/** Asks the Roles and bindings in the store; system:masters may do everything. */
export function decide(store: Store, user: Identity, wanted: Attributes): Decision {
  if (user.groups.includes('system:masters')) return { allowed: true };
  for (const grant of grantsFor(store, user, wanted.namespace)) {
    if (grant.rules.some((rule) => covers(rule, wanted))) return { allowed: true, reason: grant.reason };
  }
  return { allowed: false };
}

/** All rules that apply to somebody in a namespace. */
export function rulesFor(store: Store, user: Identity, namespace: string | undefined): Rule[] {
  const own = user.groups.includes('system:masters') ? clusterAdminRules : [];
  return [...own, ...[...grantsFor(store, user, namespace)].flatMap(({ rules }) => rules)];
}

interface Grant {
  readonly rules: readonly Rule[];
  readonly reason: string;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

function* grantsFor(store: Store, user: Identity, namespace: string | undefined): Generator<Grant> {
  for (const { group, role, rules } of builtInBindings) {
    if (user.groups.includes(group)) {
      yield {
        rules,
        reason: `RBAC: allowed by ClusterRoleBinding "${role}" of ClusterRole "${role}" to Group "${group}"`,
      };
    }
  }
  for (const binding of store.list(kinds.clusterRoleBindings)) yield* grantOf(store, user, binding, undefined);
  if (namespace === undefined) return;
  for (const binding of store.list(kinds.roleBindings, namespace)) yield* grantOf(store, user, binding, namespace);
}

function* grantOf(store: Store, user: Identity, binding: KubeObject, namespace: string | undefined): Generator<Grant> {
  const subjects = (binding['subjects'] ?? []) as readonly Subject[];
  const subject = subjects.find((candidate) => matches(candidate, user));
  if (subject === undefined) return;
  const { kind, name } = binding['roleRef'] as { kind: string; name: string };
  const place = namespace === undefined ? '' : `/${namespace}`;
  const whom = subject.namespace === undefined ? subject.name : `${subject.name}/${subject.namespace}`;
  yield {
    rules: rulesOf(store, kind, name, namespace),
    reason: `RBAC: allowed by ${binding.kind} "${binding.metadata.name}${place}" of ${kind} "${name}" to ${subject.kind} "${whom}"`,
  };
}

function matches({ kind, name, namespace }: Subject, user: Identity): boolean {
  if (kind === 'Group') return user.groups.includes(name);
  if (kind === 'ServiceAccount') return user.user === `system:serviceaccount:${namespace ?? ''}:${name}`;
  return user.user === name;
}

function rulesOf(store: Store, kind: string, name: string, namespace: string | undefined): readonly Rule[] {
  const role =
    kind === 'Role' ? store.get(kinds.roles, namespace, name) : store.get(kinds.clusterRoles, undefined, name);
  if (role !== undefined) return (role['rules'] ?? []) as readonly Rule[];
  return kind === 'ClusterRole' && name === 'cluster-admin' ? clusterAdminRules : [];
}

function covers(rule: Rule, wanted: Attributes): boolean {
  if (!includes(rule.verbs, wanted.verb)) return false;
  if (wanted.path !== undefined) return (rule.nonResourceURLs ?? []).some((url) => coversPath(url, wanted.path ?? ''));
  return (
    includes(rule.apiGroups, wanted.group ?? '') &&
    coversResource(rule.resources ?? [], wanted) &&
    coversName(rule, wanted)
  );
}

const includes = (list: readonly string[] | undefined, value: string): boolean =>
  list !== undefined && (list.includes('*') || list.includes(value));

function coversPath(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
}

function coversResource(resources: readonly string[], { resource = '', subresource }: Attributes): boolean {
  if (resources.includes('*')) return true;
  if (subresource === undefined) return resources.includes(resource);
  return resources.includes(`${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

function coversName({ resourceNames = [] }: Rule, { name = '' }: Attributes): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

const kinds = {
  roles: rbacType('roles'),
  clusterRoles: rbacType('clusterroles'),
  roleBindings: rbacType('rolebindings'),
  clusterRoleBindings: rbacType('clusterrolebindings'),
};

function rbacType(plural: string): ResourceType {
  const found = createResourceTypes().byPlural('rbac.authorization.k8s.io', plural);
  if (found === undefined) throw new Error(`the kind of ${plural} is not built in`);
  return found;
}
