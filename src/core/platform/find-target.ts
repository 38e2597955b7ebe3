import type { Position } from '../problem.ts';
import type { Problems } from './collect-problems.ts';
import type { Declared, DeclaredStack } from './declare-names.ts';
import { nearestName } from './nearest-name.ts';

/** What a need names. */
export type Target =
  | { readonly kind: 'app'; readonly node: string }
  | { readonly kind: 'part'; readonly node: string }
  | { readonly kind: 'stack'; readonly stack: DeclaredStack };

interface Names {
  readonly declared: Declared;
  readonly written: ReadonlySet<string>;
  readonly problems: Problems;
}

/** Finds the app, part or stack of this name, or reports that there is none, with the nearest one there is. */
export function findTarget(name: string, at: Position, names: Names): Target | undefined {
  const [appName = '', ...rest] = name.split('#');
  const found =
    rest.length === 0 ? plainTarget(name, names.declared) : partTarget(appName, rest.join('#'), names.declared);
  if (found === undefined && !names.written.has(name)) report({ app: appName, part: rest.join('#') }, at, names);
  return found;
}

function plainTarget(name: string, { apps, stacks }: Declared): Target | undefined {
  if (apps.has(name)) return { kind: 'app', node: name };
  const stack = stacks.get(name);
  return stack === undefined ? undefined : { kind: 'stack', stack };
}

function partTarget(app: string, part: string, { apps }: Declared): Target | undefined {
  const isDeclared = Object.hasOwn(apps.get(app)?.spec.parts ?? {}, part);
  return isDeclared ? { kind: 'part', node: `${app}#${part}` } : undefined;
}

function report({ app, part }: { app: string; part: string }, at: Position, names: Names): void {
  const { apps, stacks } = names.declared;
  if (apps.has(app)) reportUnknownPart({ app, part }, at, names);
  else if (stacks.has(app)) {
    const remedy = `Write "${app}", or a part of one of its apps.`;
    names.problems.error(at, `"${app}" is a stack, and a stack has no parts.`, remedy);
  } else if (!names.written.has(app)) reportUnknown(app, at, names);
}

function reportUnknown(name: string, at: Position, { declared, problems }: Names): void {
  problems.error(
    at,
    () => `There is no app or stack called "${name.slice(0, 80)}".`,
    () => {
      const nearest = nearestName(name, [...declared.apps.keys(), ...declared.stacks.keys()]);
      return nearest === undefined ? 'Add it to a stack, or remove it here.' : `Did you mean "${nearest}"?`;
    },
  );
}

function reportUnknownPart(
  { app, part }: { app: string; part: string },
  at: Position,
  { declared, problems }: Names,
): void {
  const parts = Object.keys(declared.apps.get(app)?.spec.parts ?? {});
  problems.error(
    at,
    () => `App "${app}" has no part called "${part.slice(0, 80)}".`,
    () => {
      const nearest = nearestName(part, parts) ?? (parts.length === 1 ? parts[0] : undefined);
      if (nearest !== undefined) return `Did you mean "${app}#${nearest}"?`;
      return `Declare it in "${app}": parts: { ${part === '' ? 'crds' : part}: { kinds: [CustomResourceDefinition] } }.`;
    },
  );
}
