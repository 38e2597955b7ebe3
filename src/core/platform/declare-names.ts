import type { Position } from '../problem.ts';
import type { Problems } from './collect-problems.ts';
import type { AppSpec, Dag, StackSpec } from './dag-schema.ts';
import { formatPosition } from './format-problems.ts';
import type { Path, YamlSource } from './yaml-source.ts';

/** Who is who in a dag.yaml: every stack and app once, and where it stands. */
export interface Declared {
  readonly stacks: ReadonlyMap<string, DeclaredStack>;
  readonly apps: ReadonlyMap<string, DeclaredApp>;
}

export interface DeclaredStack {
  readonly name: string;
  readonly spec: StackSpec;
  readonly path: Path;
  readonly apps: string[];
}

export interface DeclaredApp {
  readonly name: string;
  readonly stack: string;
  readonly spec: AppSpec;
  readonly path: Path;
  readonly at: Position;
}

/** Collects the names of all stacks and apps, reporting those that are used twice and stacks without apps. */
export function declareNames(dag: Dag, source: YamlSource, problems: Problems): Declared {
  const stacks = new Map<string, DeclaredStack>();
  const apps = new Map<string, DeclaredApp>();
  for (const [name, spec] of Object.entries(dag.stacks ?? {})) {
    const stack: DeclaredStack = { name, spec, path: ['stacks', name], apps: [] };
    stacks.set(name, stack);
    declareApps(stack, { apps, source, problems });
    if (Object.keys(spec.apps).length === 0) {
      problems.error(
        source.atKey(stack.path),
        `Stack "${name}" has no apps.`,
        'Add one under apps, or remove the stack.',
      );
    }
  }
  if (dag.stacks !== undefined && stacks.size === 0) {
    problems.error(
      source.at(['stacks']),
      'The platform has no stacks.',
      'Add one: stacks: { base: { apps: { my-app: {} } } }.',
    );
  }
  reportSharedNames({ stacks, apps }, source, problems);
  return { stacks, apps };
}

interface Into {
  readonly apps: Map<string, DeclaredApp>;
  readonly source: YamlSource;
  readonly problems: Problems;
}

function declareApps(stack: DeclaredStack, { apps, source, problems }: Into): void {
  for (const [name, spec] of Object.entries(stack.spec.apps)) {
    const path = [...stack.path, 'apps', name];
    const at = source.atKey(path);
    const before = apps.get(name);
    if (before === undefined) {
      apps.set(name, { name, stack: stack.name, spec: spec ?? {}, path, at });
      stack.apps.push(name);
      continue;
    }
    const what = `App "${name}" is declared twice, in stack "${before.stack}" (${formatPosition(before.at)}) and here.`;
    problems.error(at, what, 'Remove one, or rename it and give it "application:" with the Application\'s name.');
  }
}

function reportSharedNames({ stacks, apps }: Declared, source: YamlSource, problems: Problems): void {
  for (const { name, path } of stacks.values()) {
    const app = apps.get(name);
    if (app === undefined) continue;
    const what = `Stack "${name}" has the same name as an app (${formatPosition(app.at)}).`;
    problems.error(source.atKey(path), what, 'Rename one of them: a need on this name would mean both.');
  }
}

/** Every name that stands in the file, also of what was cut out as wrong: a need on such a name is no second mistake. */
export function writtenNames(value: unknown): Set<string> {
  const names = new Set<string>();
  for (const [stack, stackValue] of entries(entry(value, 'stacks'))) {
    names.add(stack);
    for (const [app, appValue] of entries(entry(stackValue, 'apps'))) {
      names.add(app);
      for (const [part] of entries(entry(appValue, 'parts'))) names.add(`${app}#${part}`);
    }
  }
  return names;
}

function entry(value: unknown, key: string): unknown {
  return entries(value).find(([name]) => name === key)?.[1];
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
