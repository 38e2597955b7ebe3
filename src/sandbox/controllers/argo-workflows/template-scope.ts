import type { KubeObject } from '../../store/objects.ts';
import { completeTemplate } from './complete-spec.ts';
import type { Operation, WorkflowsContext } from './operation.ts';
import type { Template, TemplateCaller, WorkflowSpec } from './workflow.ts';

/** Where a template's name is looked up: in the Workflow itself, or in a (Cluster)WorkflowTemplate. */
export interface TemplateScope {
  readonly kind: 'local' | 'namespaced' | 'cluster';
  readonly name: string;
}

export class TemplateError extends Error {}

export const scopeText = ({ kind, name }: TemplateScope): string => `${kind}/${name}`;

/** What a Workflow calls itself; one that lives from a template has no name there. */
export function localScope({ workflow }: Pick<Operation, 'workflow'>): TemplateScope {
  return { kind: 'local', name: workflow.spec.workflowTemplateRef === undefined ? workflow.metadata.name : '' };
}

/** The template a caller means, and the scope in which that template calls others. Remembers foreign ones in the status. */
export function resolveTemplate(
  operation: Operation,
  scope: TemplateScope,
  caller: TemplateCaller,
): { template: Template; scope: TemplateScope } {
  const { status, spec } = operation;
  const inside = scopeOf(caller, scope);
  const name = caller.templateRef?.template ?? caller.template ?? '';
  if (inside.kind === 'local') {
    const template = spec.templates?.find((each) => each.name === name);
    if (template === undefined) throw new TemplateError(`template ${name} not found`);
    return { template: completeTemplate(template), scope: inside };
  }
  const key = `${scopeText(inside)}/${name}`;
  const stored = status.storedTemplates?.[key];
  if (stored !== undefined) return { template: stored, scope: inside };
  const template = foreignTemplate(operation.context, inside, name);
  status.storedTemplates = { ...status.storedTemplates, [key]: template };
  operation.updated = true;
  return { template, scope: inside };
}

export function scopeOf({ templateRef }: TemplateCaller, scope: TemplateScope): TemplateScope {
  if (templateRef === undefined) return scope;
  return { kind: templateRef.clusterScope === true ? 'cluster' : 'namespaced', name: templateRef.name };
}

/** The object that holds the templates of a scope outside the Workflow. */
export function templateHolder(
  { store, typeOf, namespace }: WorkflowsContext,
  { kind, name }: TemplateScope,
): (KubeObject & { readonly spec: WorkflowSpec }) | undefined {
  const type = typeOf('argoproj.io/v1alpha1', kind === 'cluster' ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate');
  const found = type === undefined ? undefined : store.get(type, type.namespaced ? namespace : undefined, name);
  // The API server takes any spec; one without templates finds none.
  return found as (KubeObject & { readonly spec: WorkflowSpec }) | undefined;
}

function foreignTemplate(context: WorkflowsContext, scope: TemplateScope, name: string): Template {
  const holder = templateHolder(context, scope);
  if (holder === undefined) throw new TemplateError(`workflow template ${scope.name} not found`);
  const template = holder.spec.templates?.find((each) => each.name === name);
  if (template === undefined) throw new TemplateError(`template ${name} not found in workflow template ${scope.name}`);
  return completeTemplate(template);
}
