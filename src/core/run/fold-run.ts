import type { Leftover, RunEvent } from './events.ts';
import { foldNode } from './fold-node.ts';
import type { NodeRun, Run } from './run.ts';

/** The run after one more event. `events.reduce(foldRun, emptyRun)` is the run that every view is made from. */
export function foldRun(run: Run, event: RunEvent): Run {
  return fold(at(run, event), event, (nodes, node) => new Map(nodes).set(node.name, node));
}

/** All of a run's events at once: the same as the reduction, without a copy of a thousand nodes for every event. */
export function foldEvents(events: Iterable<RunEvent>): Run {
  let run = emptyRun;
  // Made here and seen by nobody before the end, so it may grow in place.
  let own: Map<string, NodeRun> | undefined;
  for (const event of events) {
    run = fold(at(run, event), event, (nodes, node) => {
      if (own !== nodes) own = new Map(nodes);
      return own.set(node.name, node);
    });
  }
  return run;
}

/** Gives the nodes with this one in its new state. */
type Put = (nodes: Run['nodes'], node: NodeRun) => Run['nodes'];

function at(run: Run, event: RunEvent): Run {
  return { ...run, startedAt: run.startedAt ?? event.at, now: event.at };
}

export const emptyRun: Run = {
  runId: '',
  plan: undefined,
  engine: '',
  order: '',
  phase: 'observe',
  startedAt: undefined,
  now: undefined,
  finishedAt: undefined,
  nodes: new Map(),
  held: new Set(),
  warnings: [],
  retained: [],
  orphans: [],
  interrupted: undefined,
  outcome: undefined,
  exitCode: undefined,
};

function fold(run: Run, event: RunEvent, put: Put): Run {
  switch (event.type) {
    case 'run-started':
      return runStarted(run, event);
    case 'phase-started':
      return { ...run, phase: event.phase };
    case 'lease-taken':
    case 'run-detached':
      return run;
    case 'workflow-submitted':
      return { ...run, workflow: `${event.namespace}/${event.name}` };
    case 'lease-lost':
      return { ...run, warnings: [...run.warnings, { message: event.message }] };
    case 'hold-set':
      return { ...run, held: new Set([...run.held, ...event.applications]) };
    case 'hold-released':
      return { ...run, held: without(run.held, event.applications) };
    case 'warning':
      return { ...run, warnings: [...run.warnings, warning(event)] };
    case 'retained':
      return { ...run, retained: joined(run.retained, event.objects) };
    case 'orphans':
      return { ...run, orphans: joined(run.orphans, event.objects) };
    case 'compared':
      return { ...run, comparison: event.comparison };
    case 'run-interrupted':
      return { ...run, interrupted: event.because };
    case 'run-finished':
      return { ...run, finishedAt: event.at, outcome: event.outcome, exitCode: event.exitCode };
    case 'node-orphaned':
      return withNode({ ...run, orphans: joined(run.orphans, event.orphans) }, event, put);
    case 'node-waiting':
    case 'node-started':
    case 'operation-triggered':
    case 'operation-progress':
    case 'operation-finished':
    case 'gate-progress':
    case 'node-retrying':
    case 'node-healthy':
    case 'node-skipped':
    case 'node-failed':
    case 'node-blocked':
    case 'deletion-progress':
    case 'node-removed':
    case 'node-retained':
      return withNode(run, event, put);
  }
}

function runStarted(run: Run, event: Extract<RunEvent, { type: 'run-started' }>): Run {
  const nodes = new Map<string, NodeRun>();
  for (const step of event.plan.steps) nodes.set(step.node, pending(step.node, step.stack));
  const { runId, plan, engine, order } = event;
  // The events of a bootstrap may stand before those of the deploy that needed it: its end is not this run's.
  return { ...run, runId, plan, engine, order, nodes, finishedAt: undefined, outcome: undefined, exitCode: undefined };
}

function withNode(run: Run, event: Parameters<typeof foldNode>[1], put: Put): Run {
  const known = run.nodes.get(event.node);
  if (known === undefined && isAboutParent(run, event)) return run;
  // Any other node that the plan does not know is shown: the end of something must never be lost in a view.
  const before = known ?? pending(event.node, '');
  return { ...run, nodes: put(run.nodes, foldNode(before, event)) };
}

/** Creating an Application is an operation of its parent, which is no node of the plan: the log tells it, no view counts it. */
function isAboutParent(run: Run, { type }: RunEvent): boolean {
  return run.plan !== undefined && type.startsWith('operation-');
}

function pending(name: string, stack: string): NodeRun {
  return { name, stack, state: 'pending', attempts: 0, waitedFor: [] };
}

function warning({ message, hint, node }: Extract<RunEvent, { type: 'warning' }>): Run['warnings'][number] {
  return { message, ...(hint === undefined ? {} : { hint }), ...(node === undefined ? {} : { node }) };
}

function without(held: ReadonlySet<string>, released: readonly string[]): ReadonlySet<string> {
  const gone = new Set(released);
  return new Set([...held].filter((application) => !gone.has(application)));
}

/** A node's own leftovers are told twice, with the node and in the sweep at the end; they are one object each. */
function joined(known: readonly Leftover[], more: readonly Leftover[]): readonly Leftover[] {
  const seen = new Set(known.map(({ object }) => object));
  return [...known, ...more.filter(({ object }) => !seen.has(object))];
}
