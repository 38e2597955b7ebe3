import type { Problems } from './collect-problems.ts';
import type { NeedSpec } from './dag-schema.ts';
import type { Declared, DeclaredApp, DeclaredStack } from './declare-names.ts';
import { findTarget, type Target } from './find-target.ts';
import type { Need } from './platform.ts';
import type { Path, YamlSource } from './yaml-source.ts';

/** What names mean while needs are read. */
export interface NeedContext {
  readonly declared: Declared;
  /** Every name in the file, also of what was cut out as wrong. */
  readonly written: ReadonlySet<string>;
  readonly problems: Problems;
}

/** A list of needs as it stands in a file. */
export interface NeedList {
  readonly source: YamlSource;
  readonly path: Path;
  readonly specs: readonly NeedSpec[];
}

/** What a list belongs to: it must not need itself, directly or as one of a stack. */
export interface NeedOwner {
  readonly describe: string;
  /** Apps that must not be among the needs. */
  readonly self: ReadonlySet<string>;
  readonly stack?: DeclaredStack;
}

/** The strongest wins where two equally direct needs name the same node. */
const strength = { soft: 0, once: 1, hard: 2 } as const;

/** Turns a written list into needs on single apps and parts; what is named itself wins over what is named through a stack. */
export function resolveNeeds(list: NeedList, owner: NeedOwner, context: NeedContext): Need[] {
  const direct = new Map<string, Need>();
  const throughStack = new Map<string, Need>();
  list.specs.forEach((spec, index) => {
    const { app, edge = 'hard' } = typeof spec === 'string' ? { app: spec } : spec;
    const at = list.source.at(typeof spec === 'string' ? [...list.path, index] : [...list.path, index, 'app']);
    const target = findTarget(app, at, context);
    if (target === undefined || isSelf(target, { owner, at, problems: context.problems })) return;
    const into = target.kind === 'stack' ? throughStack : direct;
    const base = { edge, at, ...through(target, owner) };
    for (const node of nodesOf(target)) keepStronger(into, { node, ...base });
  });
  return sortedNeeds(new Map([...throughStack, ...direct]));
}

function through(target: Target, owner: NeedOwner): Pick<Need, 'throughStack'> {
  if (owner.stack !== undefined) return { throughStack: owner.stack.name };
  return target.kind === 'stack' ? { throughStack: target.stack.name } : {};
}

function nodesOf(target: Target): readonly string[] {
  return target.kind === 'stack' ? target.stack.apps : [target.node];
}

function keepStronger(into: Map<string, Need>, need: Need): void {
  const before = into.get(need.node);
  if (before === undefined || strength[before.edge] < strength[need.edge]) into.set(need.node, need);
}

function isSelf(
  target: Target,
  { owner, at, problems }: { owner: NeedOwner; at: Need['at']; problems: Problems },
): boolean {
  if (!nodesOf(target).some((node) => owner.self.has(node))) return false;
  if (target.kind === 'stack') {
    const what = `${owner.describe} needs stack "${target.stack.name}", which it belongs to.`;
    problems.error(at, what, 'Name the apps of the stack that are really needed.');
  } else if (owner.stack !== undefined) {
    const what = `${owner.describe} needs "${target.node}", which is one of its own apps.`;
    problems.error(at, what, `Move the need to the apps of "${owner.stack.name}" that have it.`);
  } else {
    problems.error(at, `${owner.describe} needs itself.`, 'Remove this need.');
  }
  return true;
}

/** Joins an app's own needs with those of its stack; the app's own word wins. */
export function withStackNeeds(own: readonly Need[], ofStack: readonly Need[]): readonly Need[] {
  if (own.length === 0) return ofStack;
  if (ofStack.length === 0) return own;
  return sortedNeeds(new Map([...ofStack, ...own].map((need) => [need.node, need])));
}

function sortedNeeds(needs: ReadonlyMap<string, Need>): Need[] {
  return [...needs.values()].sort((a, b) => (a.node < b.node ? -1 : 1));
}

/** The owner of an app's list, or of one of its parts. */
export function ownerOf(app: DeclaredApp, part?: string): NeedOwner {
  const describe = part === undefined ? `App "${app.name}"` : `Part "${app.name}#${part}"`;
  return { describe, self: new Set([app.name]) };
}
