import { isOver, type WorkflowView } from '../core/workflow/workflow-view.ts';
import type { World } from './ports.ts';

/** The Workflows of one run, seen as one: nearly always it is one. */
export interface WholeWorkflow {
  readonly parts: readonly WorkflowView[];
  /** The first with the tasks of all; over when all are. */
  readonly view: WorkflowView;
}

/** undefined: one of them is gone. */
export async function readWhole(
  world: { readonly workflows: Pick<World['workflows'], 'read'> },
  names: readonly string[],
  signal: AbortSignal,
): Promise<WholeWorkflow | undefined> {
  const parts: WorkflowView[] = [];
  for (const name of names) {
    const part = await world.workflows.read(name, signal);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  const [first, ...others] = parts;
  return first === undefined ? undefined : { parts, view: others.length === 0 ? first : joined(first, others) };
}

function joined(first: WorkflowView, others: readonly WorkflowView[]): WorkflowView {
  const tasks = new Map([first, ...others].flatMap((part) => [...part.tasks]));
  const isDone = others.every(isOver);
  const shutdown = first.shutdown ?? others.find((part) => part.shutdown !== undefined)?.shutdown;
  return { ...first, tasks, shutdown, phase: isDone || !isOver(first) ? first.phase : 'Running' };
}

/** Resolves when one of them is not as it was read any more, or at the time `until`. */
export async function wholeMoved(
  world: World,
  { parts }: WholeWorkflow,
  until: number,
  signal: AbortSignal,
): Promise<void> {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return world.workflows.moved(first, until, signal);
  const enough = new AbortController();
  const either = AbortSignal.any([signal, enough.signal]);
  const moves = parts.map((part) => world.workflows.moved(part, until, either));
  try {
    await Promise.race(moves);
  } finally {
    enough.abort(new Error('another one has moved'));
    await Promise.allSettled(moves);
  }
}
