import { readFileSync } from 'node:fs';
import type { Rule } from '../real/rights.ts';
import { objectsOf, type Rendered } from './helm.ts';

/** Accounts of the chart. */
export type Account = 'tiphys-agent' | 'tiphys-step' | 'tiphys-deploy' | 'tiphys-validate' | 'tiphys-teardown';

/** One rule that an account has, and where. */
export interface Grant {
  readonly account: Account;
  /** undefined: in the whole cluster. */
  readonly namespace: string | undefined;
  readonly rule: Rule & { readonly resourceNames?: readonly string[] };
}

/** One verb of one rule. */
export interface ChartRight extends Grant {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

/** What the chart renders, as it is committed. */
export function renderedChart(steps: 'agent' | 'pod'): readonly Rendered[] {
  return objectsOf(readFileSync(new URL(`./rendered/${steps}.yaml`, import.meta.url), 'utf8'));
}

/** Everything an account of the chart may do, from roles and bindings as they are rendered. */
export function grantsOf(account: Account, steps: 'agent' | 'pod'): readonly Grant[] {
  const objects = renderedChart(steps);
  return objects
    .filter((one) => subjectsOf(one).includes(account))
    .flatMap((binding) => {
      const { kind, name } = binding['roleRef'] as { kind: string; name: string };
      const { namespace } = binding.metadata;
      const role = objects.find(
        (one) => one.kind === kind && one.metadata.name === name && one.metadata.namespace === namespace,
      );
      if (role === undefined) throw new Error(`there is no ${kind} ${name} for ${account}`);
      return (role['rules'] as Rule[]).map((rule): Grant => ({ account, namespace, rule }));
    });
}

function subjectsOf(one: Rendered): string[] {
  return ((one['subjects'] ?? []) as { name: string }[]).map(({ name }) => name);
}

/** Every verb of every rule. */
export function rightsIn(grants: readonly Grant[]): readonly ChartRight[] {
  return grants.flatMap((grant) =>
    grant.rule.verbs.map((verb) => {
      const [[group = ''], [resource = '']] = [grant.rule.apiGroups, grant.rule.resources];
      return { ...grant, verb, group, resource };
    }),
  );
}

export function without(grants: readonly Grant[], { rule, verb, namespace }: ChartRight): readonly Grant[] {
  return grants.map((one) =>
    one.rule === rule && one.namespace === namespace
      ? { ...one, rule: { ...rule, verbs: rule.verbs.filter((each) => each !== verb) } }
      : one,
  );
}

/** The same rights as Roles and bindings of this account alone, so that one can be taken from it and from nobody else. */
export function rolesFor(grants: readonly Grant[]): readonly Rendered[] {
  return grants
    .filter(({ rule }) => rule.verbs.length > 0)
    .flatMap(({ account, namespace, rule }, index) => {
      const metadata = { name: `${account}-${index}`, ...(namespace === undefined ? {} : { namespace }) };
      const kind = namespace === undefined ? 'ClusterRole' : 'Role';
      const apiVersion = 'rbac.authorization.k8s.io/v1';
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name };
      const subjects = [{ kind: 'ServiceAccount', name: account, namespace: 'argo' }];
      return [
        { apiVersion, kind, metadata, rules: [rule] },
        { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects },
      ];
    });
}
