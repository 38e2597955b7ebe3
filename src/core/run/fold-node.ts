import type { RunEvent } from './events.ts';
import type { NodeRun, NodeStage, NodeState, Segment } from './run.ts';

export type NodeEvent = Exclude<Extract<RunEvent, { readonly node: string }>, { readonly type: 'warning' }>;

/** One node after an event about it. */
export function foldNode(node: NodeRun, event: NodeEvent): NodeRun {
  switch (event.type) {
    case 'node-waiting':
      return { ...node, waitedFor: [...new Set([...node.waitedFor, ...event.for])].sort() };
    case 'node-started':
    case 'operation-triggered':
    case 'operation-progress':
    case 'operation-finished':
    case 'gate-progress':
    case 'node-retrying':
    case 'deletion-progress':
      return going(node, event);
    case 'node-healthy':
    case 'node-skipped':
    case 'node-failed':
    case 'node-blocked':
    case 'node-removed':
    case 'node-retained':
    case 'node-orphaned':
      return ended(node, event);
  }
}

type GoingEvent = Extract<
  NodeEvent,
  {
    type:
      | 'node-started'
      | 'operation-triggered'
      | 'operation-progress'
      | 'operation-finished'
      | 'gate-progress'
      | 'node-retrying'
      | 'deletion-progress';
  }
>;
type EndedEvent = Exclude<NodeEvent, GoingEvent | { type: 'node-waiting' }>;

function going(node: NodeRun, event: GoingEvent): NodeRun {
  switch (event.type) {
    case 'node-started':
      return { ...inStage(node, 'starting', event.at), attempts: event.attempt };
    case 'operation-triggered':
      return inStage(node, 'syncing', event.at);
    case 'operation-progress':
      return { ...inStage(node, 'syncing', event.at), because: event.message };
    case 'operation-finished':
      return { ...inStage(node, 'gate', event.at), ...(event.phase === 'Succeeded' ? {} : { because: event.message }) };
    case 'gate-progress':
      return { ...inStage(node, 'gate', event.at), because: event.waitingFor, ...seen(event) };
    case 'node-retrying':
      return {
        ...inStage(node, 'retrying', event.at),
        because: event.because,
        attempts: Math.max(node.attempts, event.attempt),
      };
    case 'deletion-progress':
      return { ...inStage(node, 'deleting', event.at), because: event.waitingFor };
  }
}

function ended(node: NodeRun, event: EndedEvent): NodeRun {
  switch (event.type) {
    case 'node-healthy':
      return { ...over(node, 'healthy', event.at), evidence: event.evidence, ...seen(event.evidence) };
    case 'node-skipped': {
      const skipped = over(node, 'skipped', event.at);
      return { ...skipped, because: event.because, evidence: event.evidence, ...seen(event.evidence) };
    }
    case 'node-failed': {
      const { because, attempts, timedOut } = event;
      return { ...over(node, 'failed', event.at), because, attempts, timedOut, ...hint(event.hint) };
    }
    case 'node-blocked': {
      // It never began, so it never finished either: no times.
      const because = `not started because of ${event.by.join(', ')}`;
      return { ...over(node, 'blocked', undefined), because, blockedBy: [...event.by].sort() };
    }
    case 'node-removed':
      return { ...over(node, 'removed', event.at), objects: event.objects };
    case 'node-retained':
      return { ...over(node, 'retained', event.at), because: event.because };
    case 'node-orphaned':
      return { ...over(node, 'orphaned', event.at), because: event.because, ...hint(event.hint) };
  }
}

/** The node at work in a stage; the sentence of the stage before does not belong to the new one. */
function inStage(node: NodeRun, stage: NodeStage, at: string): NodeRun {
  const { because, ...rest } = node;
  const same = node.stage === stage;
  return {
    ...rest,
    state: 'running',
    stage,
    startedAt: node.startedAt ?? at,
    segments: same ? (node.segments ?? []) : [...closed(node, at), { stage, from: at }],
    ...(same && because !== undefined ? { because } : {}),
  };
}

function over(node: NodeRun, state: NodeState, at: string | undefined): NodeRun {
  const { stage: _stage, because: _because, ...rest } = node;
  if (at === undefined) return { ...rest, state };
  return { ...rest, state, finishedAt: at, ...(node.segments === undefined ? {} : { segments: closed(node, at) }) };
}

function closed(node: NodeRun, at: string): readonly Segment[] {
  return (node.segments ?? []).map((segment) => (segment.to === undefined ? { ...segment, to: at } : segment));
}

function seen(from: { readonly sync?: string; readonly health?: string }): Pick<NodeRun, 'sync' | 'health'> {
  return {
    ...(from.sync === undefined ? {} : { sync: from.sync }),
    ...(from.health === undefined ? {} : { health: from.health }),
  };
}

function hint(text: string | undefined): { readonly hint?: string } {
  return text === undefined ? {} : { hint: text };
}
