import type { RunEvent } from '../run/events.ts';

/** What a step has to say, as the output parameter `result` of its task: the events of its node, in order. */
export interface StepReport {
  readonly events: readonly RunEvent[];
  /** How many were left out before the last ones, so that the report stays small. */
  readonly leftOut: number;
}

/** The node's state goes into the Workflow object, which may hold a megabyte. */
const mostEvents = 40;
const firstEvents = 5;
const longestText = 600;

export function writeReport(all: readonly RunEvent[]): string {
  const isShort = all.length <= mostEvents;
  // The beginning tells when it started; the end tells how it is.
  const events = isShort ? all : [...all.slice(0, firstEvents), ...all.slice(firstEvents - mostEvents)];
  const report: StepReport = { events: events.map(shortened), leftOut: all.length - events.length };
  return JSON.stringify(report);
}

/** What a report says beyond the first `told` events of its step; what was left out is lost, and nothing comes twice. */
export function eventsAfter({ events, leftOut }: StepReport, told: number): readonly RunEvent[] {
  return events.filter((_event, index) => (index < firstEvents ? index : index + leftOut) >= told);
}

/** undefined: not one of ours, or cut off. */
export function readReport(text: string | undefined): StepReport | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const { events, leftOut } = JSON.parse(text) as Partial<StepReport>;
    if (!Array.isArray(events) || !events.every(isEvent)) return undefined;
    return { events, leftOut: typeof leftOut === 'number' ? leftOut : 0 };
  } catch {
    return undefined;
  }
}

function isEvent(value: unknown): boolean {
  const { at, type } = (value ?? {}) as Partial<RunEvent>;
  return typeof at === 'string' && typeof type === 'string';
}

function shortened(event: RunEvent): RunEvent {
  const entries = Object.entries(event).map(([key, value]: [string, unknown]) => [
    key,
    typeof value === 'string' && value.length > longestText ? `${value.slice(0, longestText)}…` : value,
  ]);
  return Object.fromEntries(entries) as RunEvent;
}
