import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

export const roleNames = ['validate', 'deploy', 'teardown'] as const;

/** One file of deploy/rbac. */
export type RoleName = (typeof roleNames)[number];

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface RoleObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
}

/** One verb of one rule. */
export interface Right {
  readonly of: RoleName;
  readonly role: RoleObject;
  readonly rule: Rule;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

/** The objects of one file of deploy/rbac. */
export function roleObjects(name: RoleName): readonly RoleObject[] {
  return parseAllDocuments(readFileSync(`deploy/rbac/${name}.yaml`, 'utf8')).map((one) => one.toJS() as RoleObject);
}

/** Every verb of every rule of one file; rules there name one resource each. */
export function rightsOf(name: RoleName): readonly Right[] {
  return roleObjects(name).flatMap((role) =>
    (role.rules ?? []).flatMap((rule) =>
      rule.verbs.map((verb): Right => {
        const [[group = ''], [resource = '']] = [rule.apiGroups, rule.resources];
        return { of: name, role, rule, verb, group, resource };
      }),
    ),
  );
}

/** The role without this one right. */
export function roleWithout({ role, rule, verb }: Right): RoleObject {
  const less = { ...rule, verbs: rule.verbs.filter((one) => one !== verb) };
  const others = (role.rules ?? []).filter((one) => one !== rule);
  return { ...role, rules: less.verbs.length === 0 ? others : [...others, less] };
}

/** Whether the words name the right as Kubernetes does. */
export function namesRight(
  words: string,
  { verb, group, resource }: Pick<Right, 'verb' | 'group' | 'resource'>,
): boolean {
  const named = [...words.matchAll(/cannot (\w+) resource "([\w/]+)" in API group "([\w.]*)"/g)];
  return named.some(
    ([, one, what, where]) =>
      one === verb && (what === resource || resource === '*') && (where === group || group === '*'),
  );
}
