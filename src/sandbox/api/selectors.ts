import type { KubeObject, ResourceType } from '../store/objects.ts';
import { badRequest } from './status.ts';

export type Match = (object: KubeObject) => boolean;

/** One test that both selectors of a query make, or undefined when there is nothing to test. */
export function selectorOf(type: ResourceType, query: URLSearchParams): Match | undefined {
  const tests = [
    ...labelTests(query.get('labelSelector') ?? ''),
    ...fieldTests(type, query.get('fieldSelector') ?? ''),
  ];
  if (tests.length === 0) return undefined;
  return (object) => tests.every((test) => test(object));
}

function labelTests(selector: string): Match[] {
  return requirements(selector).map(labelTest);
}

/** Splits on commas outside parentheses. */
function requirements(selector: string): string[] {
  if (selector.trim() === '') return [];
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= selector.length; index++) {
    const char = selector[index];
    if (char === '(') depth++;
    else if (char === ')') depth--;
    else if ((char === ',' && depth === 0) || char === undefined) {
      parts.push(selector.slice(start, index).trim());
      start = index + 1;
    }
  }
  if (depth > 0) throw badRequest("unable to parse requirement: found '', expected: ',', ')' or identifier");
  return parts;
}

const setBased = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/;
const equality = /^([^=!\s]+)\s*(==|=|!=)\s*(\S*)$/;
const existence = /^(!?)\s*([^=!\s()]+)$/;

function labelTest(requirement: string): Match {
  const set = setBased.exec(requirement);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    const wanted = operator === 'in';
    return (object) => {
      const value = object.metadata.labels?.[key];
      return value === undefined ? !wanted : values.has(value) === wanted;
    };
  }
  const equal = equality.exec(requirement);
  if (equal !== null) {
    const [, key = '', operator, expected = ''] = equal;
    return (object) => (object.metadata.labels?.[key] === expected) === (operator !== '!=');
  }
  const exists = existence.exec(requirement);
  if (exists !== null) {
    const [, not, key = ''] = exists;
    return (object) => (object.metadata.labels?.[key] !== undefined) === (not === '');
  }
  throw badRequest(`unable to parse requirement: found '${requirement}', expected: identifier`);
}

function fieldTests(type: ResourceType, selector: string): Match[] {
  if (selector.trim() === '') return [];
  return selector.split(',').map((term) => {
    const parsed = /^([^=!]+)(==|=|!=)(.*)$/.exec(term.trim());
    if (parsed === null) throw badRequest(`invalid selector: '${selector}'; can't understand '${term.trim()}'`);
    const [, field = '', operator, expected = ''] = parsed;
    if (!isSelectable(type, field)) throw unknownField(type, field);
    const path = field.split('.');
    return (object) => (fieldText(object, path) === expected) === (operator !== '!=');
  });
}

const selectableFields: Readonly<Record<string, readonly string[]>> = {
  '/events': [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  '/pods': ['spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'status.phase'],
  '/namespaces': ['status.phase'],
  '/nodes': ['spec.unschedulable'],
  '/secrets': ['type'],
  'batch/jobs': ['status.successful'],
};

function isSelectable(type: ResourceType, field: string): boolean {
  if (field === 'metadata.name' || field === 'metadata.namespace') return true;
  return (selectableFields[`${type.group}/${type.plural}`] ?? []).includes(field);
}

function unknownField(type: ResourceType, field: string) {
  if (type.custom || type.group !== '') return badRequest(`field label not supported: ${field}`);
  return badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

function fieldText(object: KubeObject, path: readonly string[]): string {
  let value: unknown = object;
  for (const part of path) value = (value as Record<string, unknown> | undefined)?.[part];
  return value === undefined || value === null ? '' : String(value);
}
