import type { Operation } from './operation.ts';
import { type Lookup, substitute } from './substitution.ts';
import { TemplateError } from './template-scope.ts';
import type { Arguments, Parameter, Template } from './workflow.ts';

/** The template with its inputs taken from the arguments and every known `{{…}}` filled in. */
export function fillTemplate(
  operation: Operation,
  template: Template,
  call: { readonly args: Arguments; readonly local: Readonly<Record<string, string>> },
): Template {
  const { parameters } = template.inputs ?? {};
  const given = new Map((call.args.parameters ?? []).map(({ name, value }) => [name, value]));
  const inputs = parameters?.map((parameter) => filledParameter(parameter, given));
  const values = new Map(inputs?.map(({ name, value }) => [`inputs.parameters.${name}`, String(value)]));
  const lookup: Lookup = (name) => values.get(name) ?? call.local[name] ?? globalValue(operation, name);
  const withInputs =
    inputs === undefined ? template : { ...template, inputs: { ...template.inputs, parameters: inputs } };
  return substitute(withInputs, lookup);
}

/** What `{{workflow.…}}` stands for. */
export function globalValue({ workflow, spec, variables }: Operation, name: string): string | undefined {
  const known = variables.get(name);
  if (known !== undefined || !name.startsWith('workflow.')) return known;
  const { metadata } = workflow;
  const rest = name.slice('workflow.'.length);
  if (rest.startsWith('parameters.')) return parameterValue(spec, rest.slice('parameters.'.length));
  if (rest.startsWith('labels.')) return metadata.labels?.[rest.slice('labels.'.length)];
  if (rest.startsWith('annotations.')) return metadata.annotations?.[rest.slice('annotations.'.length)];
  switch (rest) {
    case 'name':
      return metadata.name;
    case 'namespace':
      return metadata.namespace;
    case 'uid':
      return metadata.uid;
    case 'creationTimestamp':
      return metadata.creationTimestamp;
    default:
      return undefined;
  }
}

function parameterValue({ arguments: args }: Operation['spec'], name: string): string | undefined {
  const value = args?.parameters?.find((parameter) => parameter.name === name)?.value;
  return value === undefined ? undefined : String(value);
}

function filledParameter(parameter: Parameter, given: ReadonlyMap<string, unknown>): Parameter {
  const value = given.get(parameter.name) ?? parameter.value ?? parameter.default;
  if (value === undefined) throw new TemplateError(`inputs.parameters.${parameter.name} was not supplied`);
  return { ...parameter, value: String(value) };
}
