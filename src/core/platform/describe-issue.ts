import * as z from 'zod';
import { nearestName } from './nearest-name.ts';
import { schemaAt } from './schema-at.ts';
import type { Path } from './yaml-source.ts';

/** One thing in which a file differs from its schema, in words. */
export interface Described {
  readonly path: Path;
  /** True when the key itself is wrong, not its value. */
  readonly isKey: boolean;
  readonly what: string;
  /** A function where it takes a search that is wasted when nobody sees it. */
  readonly remedy: string | (() => string);
}

type Issue = z.core.$ZodIssue;

/** Puts a schema issue into plain sentences; unknown keys become one each. */
export function describeIssue(issue: Issue, schema: z.core.$ZodType, value: unknown): Described[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, issue.path, schema));
  if (issue.code === 'invalid_union') {
    const branch = likeliestBranch(issue.errors);
    return branch.flatMap((inner) => describeIssue({ ...inner, path: [...issue.path, ...inner.path] }, schema, value));
  }
  if (issue.code === 'invalid_key') {
    const inner = issue.issues[0];
    return inner === undefined
      ? []
      : [{ path: issue.path, isKey: true, ...words({ ...inner, path: issue.path }, schema, value) }];
  }
  return [{ path: issue.path, isKey: valueAt(value, issue.path) === undefined, ...words(issue, schema, value) }];
}

function unknownKey(key: string, path: Path, schema: z.core.$ZodType): Described {
  const remedy = () => {
    const parent = schemaAt(schema, path);
    const known = parent instanceof z.ZodObject ? Object.keys(parent.shape) : [];
    const nearest = nearestName(key, known);
    return nearest === undefined ? `Remove it; the keys are ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
  };
  return {
    path: [...path, key],
    isKey: true,
    what: `"${key.slice(0, 80)}" is not a key that ${whose(path)} has.`,
    remedy,
  };
}

function whose(path: Path): string {
  const owner = path.findLast((key) => typeof key === 'string');
  return owner === undefined ? 'this file' : `"${String(owner)}"`;
}

/** The branch that at least has the right kind of value; its issues say what is wrong inside. */
function likeliestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const rightKind = branches.find((issues) =>
    issues.every((issue) => issue.code !== 'invalid_type' || issue.path.length > 0),
  );
  return rightKind ?? branches[0] ?? [];
}

interface Words {
  what: string;
  remedy: string;
}

function words(issue: Issue, schema: z.core.$ZodType, value: unknown): Words {
  const found = valueAt(value, issue.path);
  const key = nameOf(issue.path);
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(key, { expected: issue.expected, found, example: exampleOf(schemaAt(schema, issue.path)) });
    case 'invalid_value':
      return wrongValue(key, issue.values.map(String), found);
    case 'too_small':
      return {
        what: `${key} is ${empty(found) ? 'empty' : `too small: ${show(found)}`}.`,
        remedy: `Give it at least ${issue.minimum}${unit(issue.origin)}.`,
      };
    case 'too_big':
      return {
        what: `${key} is too large: ${show(found)}.`,
        remedy: `Give it at most ${issue.maximum}${unit(issue.origin)}.`,
      };
    case 'custom':
      return {
        what: String(issue.params?.['what'] ?? issue.message),
        remedy: String(issue.params?.['remedy'] ?? 'Change it.'),
      };
    default:
      return {
        what: `${key} is not written as it should be.`,
        remedy: `Write it like this: ${exampleOf(schemaAt(schema, issue.path)) ?? 'as the schema says'}.`,
      };
  }
}

interface WrongType {
  readonly expected: string;
  readonly found: unknown;
  readonly example: string | undefined;
}

function wrongType(key: string, { expected, found, example }: WrongType): Words {
  if (found === undefined) return missing(key, example);
  const wanted = kinds[expected] ?? expected;
  const like = example === undefined ? wanted : `${wanted}, for example ${example}`;
  if (found === null) {
    const remedy =
      expected === 'array' ? 'Write [] for none, or remove the key.' : `Give it ${like}, or remove the key.`;
    return { what: `${key} has no value.`, remedy };
  }
  const what = `${key} should be ${wanted}, but is ${kindOf(found)}.`;
  return { what, remedy: rewrite({ expected, found, example }) ?? `Write ${like}.` };
}

function missing(key: string, example: string | undefined): Words {
  const line = example === undefined ? '' : `, for example ${key.replaceAll('"', '')}: ${example}`;
  return { what: `${key} is missing.`, remedy: `Add it${line}.` };
}

/** The slips that a small change of what is there mends. */
function rewrite({ expected, found, example }: WrongType): string | undefined {
  if (expected === 'array' && typeof found === 'string') return `Put it in brackets: [${found}].`;
  if (expected !== 'string' || typeof found === 'object') return undefined;
  return typeof found === 'number' && example === '5m' ? `Add a unit: ${found}s.` : 'Put it in quotes.';
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'a list',
  object: 'a mapping of keys and values',
  record: 'a mapping of names and values',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object'
    ? 'a mapping'
    : `the ${typeof value === 'string' ? 'text' : typeof value} ${show(value)}`;
}

function wrongValue(key: string, allowed: readonly string[], found: unknown): Words {
  if (found === undefined)
    return { what: `${key} is missing.`, remedy: `Add it: ${key.replaceAll('"', '')}: ${allowed.join(' or ')}.` };
  const nearest = typeof found === 'string' ? nearestName(found, allowed) : undefined;
  const list = allowed.length === 1 ? `Write ${allowed[0]}.` : `Write one of ${allowed.join(', ')}.`;
  return {
    what: `${key} cannot be ${show(found)}.`,
    remedy: nearest === undefined || allowed.length === 1 ? list : `Did you mean "${nearest}"? ${list}`,
  };
}

function nameOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return 'The file';
  return typeof last === 'number' ? `Entry ${last + 1} of "${String(path.at(-2) ?? 'the list')}"` : `"${String(last)}"`;
}

function exampleOf(schema: z.core.$ZodType | undefined): string | undefined {
  const examples = schema instanceof z.ZodType ? schema.meta()?.['examples'] : undefined;
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined;
  if (example === undefined) return undefined;
  return typeof example === 'string' ? example : JSON.stringify(example);
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

function empty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

function unit(origin: string): string {
  if (origin === 'array') return ' entry';
  return origin === 'string' ? ' character' : '';
}

function show(value: unknown): string {
  const text =
    typeof value === 'string'
      ? `"${value}"`
      : Array.isArray(value)
        ? 'a list'
        : typeof value === 'object'
          ? 'a mapping'
          : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
