import type { Clock, Line, Queue } from '../../engine/ports.ts';
import type { RawApplication } from './operation-patch.ts';
import { refreshAnnotation } from './parse-application.ts';

/** Who stands in line before Argo CD, and since when; told of each Application as it changes. */
export interface WaitingLine {
  note(name: string, application: RawApplication | undefined): void;
  /** Nobody else is there any more. */
  only(names: readonly string[]): void;
  line(queue: Queue): Line;
}

/** So many of the last answers tell how long one takes. */
const remembered = 21;

export function createWaitingLine(clock: Clock): WaitingLine {
  const queues = { operations: createQueue(clock), comparisons: createQueue(clock) };
  return {
    note(name, application) {
      const seen = application as Unparsed | undefined;
      queues.operations.note(name, seen && waitsForOperation(seen));
      queues.comparisons.note(name, seen && waitsForComparison(seen));
    },
    only(names) {
      const there = new Set(names);
      for (const queue of Object.values(queues)) queue.only(there);
    },
    line: (queue) => queues[queue].line(),
  };
}

interface OneQueue {
  /** Undefined: it is gone, and nobody answered it. */
  note(name: string, isWaiting: boolean | undefined): void;
  only(names: ReadonlySet<string>): void;
  line(): Line;
}

function createQueue(clock: Clock): OneQueue {
  const since = new Map<string, number>();
  const took: number[] = [];
  return {
    note(name, isWaiting) {
      const begun = since.get(name);
      if (isWaiting === true) {
        if (begun === undefined) since.set(name, clock.now());
        return;
      }
      if (begun === undefined) return;
      since.delete(name);
      if (isWaiting === undefined) return;
      took.push(clock.now() - begun);
      if (took.length > remembered) took.shift();
    },
    only(names) {
      for (const name of since.keys()) if (!names.has(name)) since.delete(name);
    },
    line: () => ({ length: since.size, tookMs: median(took) }),
  };
}

/** Not the mean: the few that were overlooked wait long, and say nothing about the others. */
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;
}

interface Unparsed {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | null };
  readonly operation?: { readonly initiatedBy?: { readonly automated?: boolean } | null } | null;
  readonly status?: { readonly operationState?: { readonly message?: string } | null } | null;
}

/** Our patch takes the state of the last operation away, and Argo CD writes one when it begins. Neither: it was taken back, or never asked for. */
function waitsForOperation(application: Unparsed): boolean | undefined {
  const operation = application.operation ?? undefined;
  const state = application.status?.operationState ?? undefined;
  if (operation === undefined) return state === undefined ? undefined : false;
  return state === undefined || isFirstLook(operation, state.message);
}

/**
 * The first look takes every operation for an automated one, which the hold forbids; the second look is in the same line. What really is
 * automated stays forbidden, and in no line.
 */
function isFirstLook({ initiatedBy }: NonNullable<Unparsed['operation']>, message = ''): boolean {
  return initiatedBy?.automated !== true && /blocked by sync window/.test(message);
}

function waitsForComparison(application: Unparsed): boolean {
  return application.metadata.annotations?.[refreshAnnotation] !== undefined;
}
