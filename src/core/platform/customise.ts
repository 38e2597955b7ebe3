import type { Position } from '../problem.ts';
import type { Problems } from './collect-problems.ts';
import type { Declared } from './declare-names.ts';
import { nearestName } from './nearest-name.ts';
import type { App, Need, Part, Platform } from './platform.ts';
import type { Files } from './platform-files.ts';

type Members = Pick<Platform, 'apps' | 'stacks'>;

/** R7.9: reports names in environment.yaml's `overrides`, and on the command line, that are not in the platform. */
export function checkCustomisation(files: Files, { apps, stacks }: Declared): void {
  const { only = [], needs = {}, timeouts = {} } = files.environment.spec.overrides ?? {};
  const place = files.environment.source;
  const check = (name: string, known: readonly ReadonlyMap<string, unknown>[], at: () => Position) => {
    const isKnown = known.some((names) => names.has(name)) || files.dag.written.has(name);
    if (!isKnown) reportUnknown(name, known, { at: at(), problems: files.problems });
  };
  for (const [index, name] of only.entries()) check(name, [apps, stacks], () => place.at(['overrides', 'only', index]));
  for (const name of Object.keys(needs)) check(name, [apps], () => place.atKey(['overrides', 'needs', name]));
  for (const name of Object.keys(timeouts)) check(name, [apps], () => place.atKey(['overrides', 'timeouts', name]));
  for (const name of commandedNames(files)) check(name, [apps], () => ({ file: '--node-timeout', line: 0, column: 0 }));
}

function commandedNames({ overrides }: Files): string[] {
  return [...(overrides.nodeTimeouts?.keys() ?? [])].filter((name) => name !== '*');
}

function reportUnknown(
  name: string,
  known: readonly ReadonlyMap<string, unknown>[],
  { at, problems }: { at: Position; problems: Problems },
): void {
  const what = `There is no app ${known.length > 1 ? 'or stack ' : ''}called "${name.slice(0, 80)}".`;
  problems.error(at, what, () => {
    const names = known.flatMap((each) => [...each.keys()]);
    const nearest = nearestName(name, names);
    return nearest === undefined ? 'Remove it, or name an app of dag.yaml.' : `Did you mean "${nearest}"?`;
  });
}

/** R7.9: leaves in only what `overrides.only` names; something left out that a kept app cannot do without is an error. */
export function keepOnly(members: Members, { environment, problems }: Files): Members {
  const only = environment.spec.overrides?.only;
  if (only === undefined) return members;
  const kept = new Set(only.flatMap((name) => members.stacks.get(name)?.apps ?? [name]));
  const missing = new Map<string, string[]>();
  const isKept = (need: Need, by: string) => {
    const app = need.node.replace(/#.*/, '');
    if (kept.has(app)) return true;
    if (need.edge !== 'soft') missing.set(app, [...(missing.get(app) ?? []), by]);
    return false;
  };
  const apps = new Map<string, App>();
  for (const app of members.apps.values()) if (kept.has(app.name)) apps.set(app.name, withKeptNeeds(app, isKept));
  const at = environment.source.at(['overrides', 'only']);
  for (const [app, by] of missing) {
    const others = by.length > 1 ? ` (and ${by.length - 1} more)` : '';
    const what = `"${app}" is left out, but "${by[0]}"${others} needs it.`;
    problems.error(at, what, `Add "${app}" to only, or leave "${by[0]}" out too.`);
  }
  return { apps, stacks: keptStacks(members.stacks, kept) };
}

function withKeptNeeds(app: App, isKept: (need: Need, by: string) => boolean): App {
  const parts = new Map<string, Part>();
  for (const [name, part] of app.parts) {
    parts.set(name, { ...part, needs: part.needs.filter((need) => isKept(need, `${app.name}#${name}`)) });
  }
  return { ...app, needs: app.needs.filter((need) => isKept(need, app.name)), parts };
}

function keptStacks(stacks: Platform['stacks'], kept: ReadonlySet<string>): Platform['stacks'] {
  const result = new Map<string, Platform['stacks'] extends ReadonlyMap<string, infer Stack> ? Stack : never>();
  for (const stack of stacks.values()) {
    const apps = stack.apps.filter((app) => kept.has(app));
    if (apps.length > 0) result.set(stack.name, { ...stack, apps });
  }
  return result;
}
