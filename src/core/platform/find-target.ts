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
  const { apps, stacks } = names.declared;
  const hash = name.indexOf('#');
  const appName = hash === -1 ? name : name.slice(0, hash);
  const app = apps.get(appName);
  if (hash === -1 && app !== undefined) return { kind: 'app', node: name };
  const stack = stacks.get(name);
  if (stack !== undefined) return { kind: 'stack', stack };
  if (app !== undefined && Object.hasOwn(app.spec.parts ?? {}, name.slice(hash + 1)))
    return { kind: 'part', node: name };
  if (names.written.has(name)) return undefined;
  if (app !== undefined) reportUnknownPart({ app: appName, part: name.slice(hash + 1) }, at, names);
  else if (stacks.has(appName)) {
    names.problems.error(
      at,
      `"${appName}" is a stack, and a stack has no parts.`,
      `Write "${appName}", or a part of one of its apps.`,
    );
  } else reportUnknown(appName, at, names);
  return undefined;
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
