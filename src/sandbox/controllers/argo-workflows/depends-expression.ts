import type { DagTask } from './workflow.ts';

/** What must have become of other tasks. */
export type Depends =
  | { readonly kind: 'task'; readonly task: string; readonly results: readonly string[] }
  | { readonly kind: 'not'; readonly of: Depends }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Depends[] };

/** Reads `depends` or `dependencies` of a task; undefined when it depends on nothing. Throws when it cannot be read. */
export function dependsOf(task: DagTask): Depends | undefined {
  if (task.depends !== undefined && task.depends !== '') return parse(task.depends);
  const names = task.dependencies ?? [];
  return names.length === 0 ? undefined : { kind: 'all', of: names.map(plain) };
}

/** The tasks it names, each once, in the order of the expression. */
export function tasksIn(depends: Depends | undefined): string[] {
  if (depends === undefined) return [];
  if (depends.kind === 'task') return [depends.task];
  const parts = depends.kind === 'not' ? [depends.of] : depends.of;
  return [...new Set(parts.flatMap(tasksIn))];
}

export function isMet(depends: Depends, resultOf: (task: string) => string | undefined): boolean {
  switch (depends.kind) {
    case 'task':
      return depends.results.includes(resultOf(depends.task) ?? '');
    case 'not':
      return !isMet(depends.of, resultOf);
    case 'all':
      return depends.of.every((part) => isMet(part, resultOf));
    case 'any':
      return depends.of.some((part) => isMet(part, resultOf));
  }
}

/** A task without a result: it went well, or was not needed. */
function plain(task: string): Depends {
  return { kind: 'task', task, results: ['Succeeded', 'Skipped', 'Daemoned'] };
}

interface Reader {
  readonly tokens: readonly string[];
  at: number;
}

function parse(text: string): Depends {
  const tokens = text.match(/&&|\|\||[!()]|[A-Za-z0-9][-A-Za-z0-9_.]*|\S/g) ?? [];
  const reader: Reader = { tokens, at: 0 };
  const depends = either(reader);
  if (reader.at < tokens.length)
    throw new Error(`unable to evaluate depends: unexpected ${tokens[reader.at]} in ${text}`);
  return depends;
}

function either(reader: Reader): Depends {
  return joined(reader, { operator: '||', kind: 'any', part: both });
}

function both(reader: Reader): Depends {
  return joined(reader, { operator: '&&', kind: 'all', part: single });
}

function joined(
  reader: Reader,
  { operator, kind, part }: { operator: string; kind: 'all' | 'any'; part: (reader: Reader) => Depends },
): Depends {
  const first = part(reader);
  const parts = [first];
  while (reader.tokens[reader.at] === operator) {
    reader.at++;
    parts.push(part(reader));
  }
  return parts.length === 1 ? first : { kind, of: parts };
}

function single(reader: Reader): Depends {
  const token = reader.tokens[reader.at++] ?? '';
  if (token === '!') return { kind: 'not', of: single(reader) };
  if (token === '(') {
    const inner = either(reader);
    if (reader.tokens[reader.at++] !== ')') throw new Error('unable to evaluate depends: a bracket is not closed');
    return inner;
  }
  if (!/^[A-Za-z0-9]/.test(token)) throw new Error(`unable to evaluate depends: unexpected ${token || 'end'}`);
  const dot = token.indexOf('.');
  return dot < 0 ? plain(token) : { kind: 'task', task: token.slice(0, dot), results: [token.slice(dot + 1)] };
}
