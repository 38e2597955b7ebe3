import { dependsOf, tasksIn } from './depends-expression.ts';
import type { WorkflowsContext } from './operation.ts';
import { scopeOf, scopeText, type TemplateScope, templateHolder } from './template-scope.ts';
import type { DagTask, Template, TemplateCaller, WorkflowSpec } from './workflow.ts';

/** What is wrong with a Workflow before it starts, in the words of the real controller; undefined when nothing is. */
export function problemWith(context: WorkflowsContext, spec: WorkflowSpec, scope: TemplateScope): string | undefined {
  const check: Check = { context, spec, scope, seen: new Set() };
  if (spec.entrypoint === undefined || spec.entrypoint === '') return 'spec.entrypoint is required';
  const own: readonly TemplateCaller[] = [
    { template: spec.entrypoint, ...(spec.arguments === undefined ? {} : { arguments: spec.arguments }) },
    ...(spec.onExit === undefined || spec.onExit === '' ? [] : [{ template: spec.onExit }]),
    ...(spec.templates ?? []).map(({ name, inputs }) => ({ template: name, arguments: inputs ?? {} })),
  ];
  return firstOf(own, (caller) => problemOfCall({ ...check, isFake: caller !== own[0] && caller !== own[1] }, caller));
}

interface Check {
  readonly context: WorkflowsContext;
  readonly spec: WorkflowSpec;
  readonly scope: TemplateScope;
  readonly seen: Set<string>;
  /** Nobody calls it: whatever it needs counts as given. */
  readonly isFake?: boolean;
}

function problemOfCall(check: Check, caller: TemplateCaller): string | undefined {
  const scope = scopeOf(caller, check.scope);
  const template = templateOf(check, scope, caller);
  if (template === undefined) return notFound(caller);
  const missing = check.isFake === true ? undefined : missingInput(template, caller);
  if (missing !== undefined) return `templates.${template.name} inputs.parameters.${missing} was not supplied`;
  const key = `${scopeText(scope)}/${template.name}`;
  if (check.seen.has(key)) return undefined;
  check.seen.add(key);
  return problemOfTemplate({ ...check, scope, isFake: false }, template);
}

function templateOf({ context, spec }: Check, scope: TemplateScope, caller: TemplateCaller): Template | undefined {
  const name = caller.templateRef?.template ?? caller.template;
  const templates = scope.kind === 'local' ? spec.templates : templateHolder(context, scope)?.spec.templates;
  return templates?.find((each) => each.name === name);
}

function notFound({ template, templateRef }: TemplateCaller): string {
  if (templateRef === undefined) return `template name '${template ?? ''}' undefined`;
  return `template reference ${templateRef.name}.${templateRef.template} not found`;
}

function missingInput({ inputs }: Template, { arguments: args }: TemplateCaller): string | undefined {
  const given = new Set((args?.parameters ?? []).map(({ name }) => name));
  const needed = inputs?.parameters ?? [];
  return needed.find((each) => each.value === undefined && each.default === undefined && !given.has(each.name))?.name;
}

function problemOfTemplate(check: Check, template: Template): string | undefined {
  const { name, dag, steps = [] } = template;
  const inSteps = firstOf([...steps.entries()], ([index, group]) =>
    firstOf(group, (step) => within(`templates.${name}.steps[${index}].${step.name}`, problemOfCall(check, step))),
  );
  if (inSteps !== undefined || dag === undefined) return inSteps;
  return (
    problemOfDag(template) ??
    firstOf(dag.tasks, (task) => within(`templates.${name}.tasks.${task.name}`, problemOfCall(check, task)))
  );
}

function problemOfDag({ name, dag }: Template): string | undefined {
  const tasks = dag?.tasks ?? [];
  if (tasks.length === 0) return `templates.${name} must have at least one task`;
  const usesDepends = tasks.some(({ depends }) => depends !== undefined && depends !== '');
  const usesDependencies = tasks.some(({ dependencies = [] }) => dependencies.length > 0);
  if (usesDepends && usesDependencies) {
    return `templates.${name} cannot use both 'depends' and 'dependencies' in the same DAG template`;
  }
  const digit = usesDepends || usesDependencies ? tasks.find((task) => /^\d/.test(task.name)) : undefined;
  if (digit !== undefined) {
    return `templates.${name}.tasks.${digit.name} name cannot begin with a digit when using either 'depends' or 'dependencies'`;
  }
  return problemOfNeeds(name, tasks);
}

function problemOfNeeds(name: string, tasks: readonly DagTask[]): string | undefined {
  const needs = new Map(tasks.map((task) => [task.name, tasksIn(dependsOf(task))]));
  return (
    within(`templates.${name} sorting failed:`, unknownNeed(needs) ?? cycleIn(needs)) ??
    firstOf(tasks, (task) => within(`templates.${name}.tasks.${task.name}`, invalidResult(task)))
  );
}

const results = ['Succeeded', 'Failed', 'Errored', 'Skipped', 'Omitted', 'Daemoned', 'AnySucceeded', 'AllFailed'];

function invalidResult({ depends = '' }: DagTask): string | undefined {
  const named = [...depends.matchAll(/([A-Za-z0-9][-A-Za-z0-9]*)\.([A-Z][A-Za-z]+)/g)];
  const wrong = named.find(([, , result = '']) => !results.includes(result));
  return wrong === undefined ? undefined : `task result '${wrong[2]}' for task '${wrong[1]}' is invalid`;
}

function unknownNeed(needs: ReadonlyMap<string, readonly string[]>): string | undefined {
  const unknown = [...needs.values()].flat().find((need) => !needs.has(need));
  return unknown === undefined ? undefined : `invalid dependency ${unknown}`;
}

/** Takes away what waits for nothing any more, again and again; what is left at the end goes round in a circle. */
function cycleIn(needs: ReadonlyMap<string, readonly string[]>): string | undefined {
  const done = new Set<string>();
  let waiting = [...needs];
  for (let before = -1; before !== done.size; ) {
    before = done.size;
    const isFree = ([, all]: readonly [string, readonly string[]]): boolean => all.every((need) => done.has(need));
    for (const [name] of waiting.filter(isFree)) done.add(name);
    waiting = waiting.filter(([name]) => !done.has(name));
  }
  return waiting.length === 0 ? undefined : 'graph with cycle';
}

function within(where: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${where} ${problem}`;
}

function firstOf<T>(items: readonly T[], problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
