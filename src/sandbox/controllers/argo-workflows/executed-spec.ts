import { completeSpec } from './complete-spec.ts';
import type { WorkflowsContext } from './operation.ts';
import { type TemplateScope, templateHolder } from './template-scope.ts';
import type { Parameter, Template, Workflow, WorkflowSpec, WorkflowStatus } from './workflow.ts';

export type ExecutedSpec =
  | { readonly kind: 'spec'; readonly spec: WorkflowSpec }
  | { readonly kind: 'missing'; readonly message: string };

/** What is to be executed: the Workflow's own spec, or that of its template with the Workflow's own on top. Stores the latter in the status. */
export function executedSpec(context: WorkflowsContext, workflow: Workflow, status: WorkflowStatus): ExecutedSpec {
  const { spec } = workflow;
  const ref = spec.workflowTemplateRef;
  if (ref === undefined) return { kind: 'spec', spec };
  const scope: TemplateScope = { kind: ref.clusterScope === true ? 'cluster' : 'namespaced', name: ref.name };
  if (status.storedWorkflowTemplateSpec === undefined) {
    const holder = templateHolder(context, scope);
    if (holder === undefined) {
      const kind = scope.kind === 'cluster' ? 'clusterworkflowtemplates' : 'workflowtemplates';
      return { kind: 'missing', message: `${kind}.argoproj.io "${ref.name}" not found` };
    }
    status.storedWorkflowTemplateSpec = merged(completeSpec(holder.spec), completeSpec(spec));
    status.storedTemplates = {
      ...status.storedTemplates,
      ...named(scope, status.storedWorkflowTemplateSpec.templates),
    };
  }
  // What can change while it runs (suspend, shutdown) is read from the Workflow itself.
  return { kind: 'spec', spec: merged(status.storedWorkflowTemplateSpec, spec) };
}

function merged(template: WorkflowSpec, own: WorkflowSpec): WorkflowSpec {
  const parameters = mergedParameters(template.arguments?.parameters, own.arguments?.parameters);
  return {
    ...template,
    ...own,
    arguments: { ...template.arguments, ...own.arguments, ...(parameters === undefined ? {} : { parameters }) },
    ...(template.templates === undefined ? {} : { templates: template.templates }),
  };
}

function mergedParameters(
  template: readonly Parameter[] | undefined,
  own: readonly Parameter[] | undefined,
): readonly Parameter[] | undefined {
  if (template === undefined || own === undefined) return own ?? template;
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...template.filter(({ name }) => !names.has(name))];
}

function named({ kind, name }: TemplateScope, templates: readonly Template[] = []): Record<string, Template> {
  return Object.fromEntries(templates.map((template) => [`${kind}/${name}/${template.name}`, template]));
}
