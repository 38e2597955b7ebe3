import { escapeControls } from '../core/report/styled-line.ts';
import type { RunEvent } from '../core/run/events.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogContext {
  readonly action: string;
  /** The run's phase; without it the one in which such an event usually happens. */
  readonly phase?: string;
  /** Nothing below this is written; `info` unless told. */
  readonly level?: LogLevel;
}

/** One event as one line of the log (R7.10), or nothing when its level is not wanted. */
export function logLine(
  event: RunEvent,
  format: 'text' | 'json',
  context: LogContext,
): { readonly level: LogLevel; readonly line: string } | undefined {
  const { level, message, phase: usual } = describe(event);
  if (rank[level] < rank[context.level ?? 'info']) return undefined;
  const phase = context.phase ?? usual;
  const component = componentOf(event);
  const record = { timestamp: event.at, level, action: context.action, phase, component, message };
  if (format === 'json') return { level, line: JSON.stringify(record).replace(unescapedByJson, jsonEscape) };
  const where = escapeControls(`${context.action}/${phase}/${component}`);
  return { level, line: `${event.at} ${level.toUpperCase().padEnd(5)} [${where}] ${escapeControls(message)}` };
}

// JSON lets these stand as they are, but a terminal or a log collector may break the line at them.
const unescapedByJson = /[\u007f-\u009f\u2028\u2029]/g;

function jsonEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const rank: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

function componentOf(event: RunEvent): string {
  if ('node' in event && event.node !== undefined) return event.node;
  return 'project' in event ? event.project : 'tiphys';
}

interface Entry {
  readonly level: LogLevel;
  readonly phase: string;
  readonly message: string;
}

function describe(event: RunEvent): Entry {
  switch (event.type) {
    case 'run-started':
    case 'phase-started':
    case 'lease-taken':
    case 'lease-lost':
    case 'workflow-submitted':
    case 'run-detached':
    case 'hold-set':
    case 'hold-released':
    case 'warning':
    case 'run-interrupted':
    case 'run-finished':
      return describeRun(event);
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
      return describeNode(event);
    case 'deletion-progress':
    case 'node-removed':
    case 'node-retained':
    case 'node-orphaned':
    case 'retained':
    case 'orphans':
    case 'compared':
      return describeRemoval(event);
  }
}

type RunWide =
  | 'run-started'
  | 'phase-started'
  | 'lease-taken'
  | 'lease-lost'
  | 'workflow-submitted'
  | 'run-detached'
  | 'hold-set'
  | 'hold-released'
  | 'warning'
  | 'run-interrupted'
  | 'run-finished';
type Removal =
  | 'deletion-progress'
  | 'node-removed'
  | 'node-retained'
  | 'node-orphaned'
  | 'retained'
  | 'orphans'
  | 'compared';
type OfType<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

function describeRun(event: OfType<RunWide>): Entry {
  switch (event.type) {
    case 'run-started': {
      const { plan, engine, order } = event;
      const message = `run ${event.runId}: ${plan.steps.length} steps for ${plan.platform} (${plan.scope}), engine ${engine}, order ${order}`;
      return { level: 'info', phase: 'plan', message };
    }
    case 'phase-started':
      return { level: 'info', phase: event.phase, message: event.message };
    case 'lease-taken': {
      const from = event.takenOverFrom === undefined ? '' : `, taken over from ${event.takenOverFrom}`;
      return { level: 'info', phase: 'hold', message: `this run holds the lease as ${event.holder}${from}` };
    }
    case 'lease-lost':
      return { level: 'error', phase: 'run', message: event.message };
    case 'workflow-submitted':
      return { level: 'info', phase: 'run', message: `Workflow ${event.namespace}/${event.name} runs the plan` };
    case 'run-detached':
      return {
        level: 'info',
        phase: 'run',
        message: `it goes on without this process; \`${event.follow}\` follows it`,
      };
    case 'hold-set':
      return { level: 'info', phase: 'hold', message: `automatic sync is held for ${many(event.applications)}` };
    case 'hold-released':
      return { level: 'info', phase: 'release', message: `automatic sync is released for ${many(event.applications)}` };
    case 'warning':
      return { level: 'warn', phase: 'run', message: withHint(event.message, event.hint) };
    case 'run-interrupted':
      return { level: 'warn', phase: 'run', message: `interrupted: ${event.because}` };
    case 'run-finished': {
      const message = `finished: ${event.outcome}, exit code ${event.exitCode}`;
      return { level: event.exitCode === 0 ? 'info' : 'error', phase: 'verify', message };
    }
  }
}

function describeNode(event: OfType<Exclude<RunEvent['type'], RunWide | Removal>>): Entry {
  const entry = (level: LogLevel, message: string): Entry => ({ level, phase: 'run', message });
  switch (event.type) {
    case 'node-waiting':
      return entry('debug', event.for.length === 0 ? 'waits for a free place' : `waits for ${event.for.join(', ')}`);
    case 'node-started':
      return entry('info', event.attempt > 1 ? `started, attempt ${event.attempt}` : 'started');
    case 'operation-triggered':
      return entry('info', `sync of ${event.application} triggered as ${event.operationId}`);
    case 'operation-progress':
      return entry('debug', event.message);
    case 'operation-finished': {
      const level = event.phase === 'Succeeded' ? 'info' : 'warn';
      return entry(level, `sync ${event.phase}${event.message === '' ? '' : `: ${event.message}`}`);
    }
    case 'gate-progress':
      return entry('debug', `waits for ${event.waitingFor}`);
    case 'node-retrying':
      return entry('warn', `attempt ${event.attempt} failed, next one in ${event.delaySeconds}s: ${event.because}`);
    case 'node-healthy':
      return entry('info', `Healthy${resources(event.evidence.resources)}`);
    case 'node-skipped':
      return entry('info', `skipped: ${event.because}`);
    case 'node-failed':
      return entry('error', withHint(`failed: ${event.because}`, event.hint));
    case 'node-blocked':
      return entry('warn', `blocked by ${event.by.join(', ')}`);
  }
}

function describeRemoval(event: OfType<Removal>): Entry {
  const entry = (level: LogLevel, message: string): Entry => ({ level, phase: 'remove', message });
  switch (event.type) {
    case 'deletion-progress':
      return entry('debug', `waits for ${event.waitingFor}`);
    case 'node-removed':
      return entry('info', `removed${resources(event.objects)}`);
    case 'node-retained':
      return entry('info', event.because);
    case 'node-orphaned':
      return entry('error', withHint(`left something behind: ${event.because}`, event.hint));
    case 'retained':
      return { ...entry('info', `kept on purpose: ${some(event.objects)}`), phase: 'sweep' };
    case 'orphans':
      return { ...entry('warn', `left behind: ${some(event.objects)}`), phase: 'sweep' };
    case 'compared': {
      const { since, bootstrap, others } = event.comparison;
      const message = `compared with the snapshot of ${since}: ${bootstrap.length} installed by bootstrap, ${others.length} of others`;
      return { ...entry('info', message), phase: 'sweep' };
    }
  }
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message} — ${hint}`;
}

function many(applications: readonly string[]): string {
  return applications.length <= 3 ? applications.join(', ') : `${applications.length} Applications`;
}

function some(objects: readonly { readonly object: string }[]): string {
  const named = objects.slice(0, 5).map(({ object }) => object);
  return [...named, ...(objects.length > 5 ? [`${objects.length - 5} more`] : [])].join(', ') || 'nothing';
}

function resources(count: number | undefined): string {
  return count === undefined ? '' : ` (${count} ${count === 1 ? 'object' : 'objects'})`;
}
