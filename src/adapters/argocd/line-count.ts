import type { Clock, Queue } from '../../engine/ports.ts';
import type { RawApplication } from './operation-patch.ts';
import { refreshAnnotation } from './parse-application.ts';

/** Hundreds who wait ask for it every other second, and it changes slowly. */
const countsForMs = 500;

/** Counts who stands in line before Argo CD. Looked at as the API server sent them: there may be hundreds. */
export function createLineCount(
  clock: Clock,
  all: () => readonly (RawApplication | undefined)[],
): (queue: Queue) => number {
  let counted = { at: Number.NEGATIVE_INFINITY, operations: 0, comparisons: 0 };
  return (queue) => {
    if (clock.now() - counted.at >= countsForMs) {
      const there = all() as readonly (Unparsed | undefined)[];
      counted = {
        at: clock.now(),
        operations: there.filter(waitsForOperation).length,
        comparisons: there.filter(waitsForComparison).length,
      };
    }
    return counted[queue];
  };
}

interface Unparsed {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | null };
  readonly operation?: { readonly initiatedBy?: { readonly automated?: boolean } | null } | null;
  readonly status?: { readonly operationState?: { readonly message?: string } | null } | null;
}

/** Our patch takes the state of the last operation away, and Argo CD writes one when it begins. */
function waitsForOperation(application: Unparsed | undefined): boolean {
  const operation = application?.operation ?? undefined;
  const state = application?.status?.operationState ?? undefined;
  return operation !== undefined && (state === undefined || isFirstLook(operation, state.message));
}

/**
 * The first look takes every operation for an automated one, which the hold forbids; the second look is in the same line. What really is
 * automated stays forbidden, and in no line.
 */
function isFirstLook({ initiatedBy }: NonNullable<Unparsed['operation']>, message = ''): boolean {
  return initiatedBy?.automated !== true && /blocked by sync window/.test(message);
}

function waitsForComparison(application: Unparsed | undefined): boolean {
  return application?.metadata.annotations?.[refreshAnnotation] !== undefined;
}
