import type { Template, TemplateCaller, WorkflowSpec } from './workflow.ts';

/** The spec as the controller writes it back: its own types know fields that are never left out. */
export function completeSpec(spec: WorkflowSpec): WorkflowSpec {
  return {
    ...spec,
    arguments: spec.arguments ?? {},
    ...(spec.templates === undefined ? {} : { templates: spec.templates.map(completeTemplate) }),
  };
}

export function completeTemplate(template: Template): Template {
  const { dag, steps } = template;
  return {
    ...template,
    inputs: template.inputs ?? {},
    outputs: template.outputs ?? {},
    metadata: template['metadata'] ?? {},
    ...(dag === undefined ? {} : { dag: { ...dag, tasks: dag.tasks.map(completeCaller) } }),
    ...(steps === undefined ? {} : { steps: steps.map((group) => group.map(completeCaller)) }),
  };
}

function completeCaller<T extends TemplateCaller>(caller: T): T {
  return { ...caller, arguments: caller.arguments ?? {} };
}
