import type { DeclaredApp, DeclaredStack } from './declare-names.ts';
import type { Need } from './platform.ts';
import type { Files } from './platform-files.ts';
import { type NeedContext, type NeedList, ownerOf, resolveNeeds, withStackNeeds } from './resolve-needs.ts';

/** A need of a stack on a stack is one for each pair of apps; beyond this a slip of the pen would fill the memory. */
const MOST_NEEDS = 1_000_000;

/** The needs of every app, with those of its stack, or those that environment.yaml puts in their place. */
export function resolveAppNeeds(files: Files, context: NeedContext): Map<string, readonly Need[]> {
  const { stacks, apps } = context.declared;
  const ofStack = new Map<string, readonly Need[]>();
  let total = 0;
  for (const stack of stacks.values()) {
    const needs = resolveStackNeeds(stack, files, context);
    total += needs.length * stack.apps.length;
    if (total > MOST_NEEDS) reportTooMany(stack, files);
    ofStack.set(stack.name, total > MOST_NEEDS ? [] : needs);
  }
  const result = new Map<string, readonly Need[]>();
  for (const app of apps.values()) {
    const replaced = replacementOf(app, files);
    const own = resolveNeeds(replaced ?? ownList(app, files), ownerOf(app), context);
    result.set(app.name, replaced === undefined ? withStackNeeds(own, ofStack.get(app.stack) ?? []) : own);
  }
  return result;
}

function resolveStackNeeds(stack: DeclaredStack, { dag }: Files, context: NeedContext): Need[] {
  if (stack.spec.needs === undefined) return [];
  const list = { source: dag.source, path: [...stack.path, 'needs'], specs: stack.spec.needs };
  return resolveNeeds(list, { describe: `Stack "${stack.name}"`, self: new Set(stack.apps), stack }, context);
}

function reportTooMany(stack: DeclaredStack, { dag, problems }: Files): void {
  const what = `The needs of stack "${stack.name}" and those above come to more than ${MOST_NEEDS.toLocaleString('en')} needs between apps.`;
  problems.error(
    dag.source.at([...stack.path, 'needs']),
    what,
    'Name the apps that are really needed instead of whole stacks.',
  );
}

function ownList(app: DeclaredApp, { dag }: Files): NeedList {
  return { source: dag.source, path: [...app.path, 'needs'], specs: app.spec.needs ?? [] };
}

/** R7.9: needs given in environment.yaml stand in place of all that dag.yaml says about the app. */
function replacementOf(app: DeclaredApp, { environment }: Files): NeedList | undefined {
  const replaced = environment.spec.overrides?.needs ?? {};
  if (!Object.hasOwn(replaced, app.name)) return undefined;
  return { source: environment.source, path: ['overrides', 'needs', app.name], specs: replaced[app.name] ?? [] };
}
