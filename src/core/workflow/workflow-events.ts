import type { Plan } from '../plan/plan.ts';
import type { RunEvent } from '../run/events.ts';
import type { NodeState } from '../run/run.ts';
import { isFinal, schedule, stateOf } from '../run/scheduler.ts';
import { eventsAfter, readReport } from './step-report.ts';
import type { TaskView, WorkflowView } from './workflow-view.ts';

/** Follows one Workflow: each view of it gives the events that are new since the one before. */
export interface WorkflowTeller {
  tell(view: WorkflowView): readonly RunEvent[];
  /** As the events so far leave them. */
  readonly states: ReadonlyMap<string, NodeState>;
}

/** `states`: what was decided before the Workflow began, skipped nodes above all. */
export function workflowTeller(plan: Plan, before: ReadonlyMap<string, NodeState>): WorkflowTeller {
  const states = new Map(before);
  const counts = new Map<string, number>();
  const waited = new Map<string, string>();

  function reported(key: string, task: TaskView): RunEvent[] {
    const report = readReport(task.report);
    if (report === undefined) return [];
    // Whoever takes a step over begins a report of his own.
    const series = `${key} ${report.events[0]?.at}`;
    const told = counts.get(series) ?? 0;
    counts.set(series, Math.max(told, report.events.length + report.leftOut));
    return [...eventsAfter(report, told)];
  }

  function ofNode(node: string, task: TaskView, view: WorkflowView): RunEvent[] {
    if (isFinal(stateOf(states, node))) return [];
    const told = reported(node, task);
    // Why it is blocked is for the whole graph to say: see `consequences`.
    const news = told.filter(({ type }) => type !== 'node-blocked');
    if (news.length < told.length) return news;
    const started = stateOf(states, node) === 'pending' && !isIdle(task) ? startOf(node, task, news) : [];
    if ([...started, ...news].some(({ type }) => type !== 'node-waiting')) states.set(node, 'running');
    const end = news.findLast((event) => 'node' in event && event.node === node && endState(event) !== undefined);
    const ending = end === undefined ? endOf(node, task, view) : [];
    const state = end === undefined ? ending.map(endState)[0] : endState(end);
    if (state !== undefined) states.set(node, state);
    return [...started, ...news, ...ending];
  }

  function consequences(at: string): RunEvent[] {
    const { blocked, waiting } = schedule(plan, states, { order: 'edges', parallelism: 0, stopping: true });
    for (const node of blocked.keys()) states.set(node, 'blocked');
    const news = [...waiting].filter(([node, needs]) => needs.length > 0 && waited.get(node) !== shown(needs));
    for (const [node, needs] of news) waited.set(node, shown(needs));
    return [
      ...[...blocked].map(([node, by]): RunEvent => ({ at, type: 'node-blocked', node, by })),
      ...news.map(([node, needs]): RunEvent => ({ at, type: 'node-waiting', node, for: needs.slice(0, 5) })),
    ];
  }

  return {
    states,
    tell(view) {
      const events = inOrder([...view.tasks].flatMap(([node, task]) => ofNode(node, task, view)));
      const latest = events.at(-1)?.at ?? view.startedAt ?? view.createdAt;
      const handed = view.handOver === undefined ? [] : reported('hand-over', view.handOver);
      for (const event of handed) if (event.type === 'node-failed') states.set(event.node, 'failed');
      return [...events, ...consequences(latest), ...handed];
    },
  };
}

/** Steps write side by side; who reads wants to read what happened first, first. */
function inOrder(events: readonly RunEvent[]): RunEvent[] {
  return [...events].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Long lists would repeat whole stacks. */
function shown(needs: readonly string[]): string {
  return needs.slice(0, 5).join(' ');
}

function isIdle({ phase }: TaskView): boolean {
  return phase === 'Pending' || phase === 'Omitted' || phase === 'Skipped' || phase === '';
}

/** A pod tells nothing until it ends; that it runs is news all the same. */
function startOf(node: string, task: TaskView, news: readonly RunEvent[]): RunEvent[] {
  if (task.report !== undefined || news.length > 0 || task.startedAt === undefined) return [];
  return [{ at: task.startedAt, type: 'node-started', node, attempt: 1 }];
}

function endState(event: RunEvent): NodeState | undefined {
  if (event.type === 'node-healthy') return 'healthy';
  return event.type === 'node-failed' ? 'failed' : undefined;
}

/** The end of a task whose step did not say how it ended: the controller's word, as what it is. */
function endOf(node: string, task: TaskView, view: WorkflowView): RunEvent[] {
  const at = task.finishedAt ?? view.finishedAt ?? view.createdAt;
  if (task.phase === 'Succeeded') {
    const notes = ['Argo Workflows calls this step Succeeded; it left no evidence of its own'];
    return [{ at, type: 'node-healthy', node, evidence: { notes } }];
  }
  // Ended from outside: it neither failed nor is it well.
  if ((task.phase !== 'Failed' && task.phase !== 'Error') || view.shutdown !== undefined) return [];
  return [
    {
      at,
      type: 'node-failed',
      node,
      because: `its step ended without a verdict: ${task.message === '' ? task.phase : task.message}`,
      hint: `Look at task ${node} of Workflow ${view.namespace}/${view.name}; running the same command again continues here.`,
      attempts: 1,
      timedOut: /deadline|timeout/i.test(task.message),
    },
  ];
}
