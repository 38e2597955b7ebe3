import type { Verdict } from './verdict.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A value as fields to look into; anything that is not an object has none. Live objects are others' data: nothing here throws. */
export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : nothing;
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export interface Condition {
  readonly type: string;
  readonly isTrue: boolean;
  readonly isFalse: boolean;
  readonly reason: string;
  /** Message or, in the older shape, error. */
  readonly message: string;
  readonly observedGeneration: number | undefined;
}

/** The named condition of an object's status. */
export function conditionOf(object: Fields, type: string): Condition | undefined {
  const all = fields(object['status'])['conditions'];
  if (!Array.isArray(all)) return undefined;
  const found = all.map(fields).find((condition) => text(condition['type']) === type);
  if (found === undefined) return undefined;
  return {
    type,
    isTrue: found['status'] === 'True',
    isFalse: found['status'] === 'False',
    reason: text(found['reason']),
    message: oneLine(text(found['message']) || text(found['error'])),
    observedGeneration: count(found['observedGeneration']),
  };
}

/** A verdict that waits when the status speaks of an older spec than the one that is there. */
export function staleStatus(object: Fields, observedGeneration?: number): Verdict | undefined {
  const generation = count(fields(object['metadata'])['generation']);
  const observed = observedGeneration ?? count(fields(object['status'])['observedGeneration']);
  if (generation === undefined || observed === undefined || observed >= generation) return undefined;
  return {
    status: 'progressing',
    message: `its operator has not seen the newest spec yet (generation ${observed} of ${generation})`,
  };
}

/** Others' text made fit for one line of a terminal: no control characters, no line breaks, not endless. */
export function oneLine(message: string): string {
  const line = message
    .slice(0, 2 * longest)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** `what`, with the reason behind a colon when there is one. */
export function because(what: string, reason: string): string {
  return reason === '' ? what : `${what}: ${reason}`;
}

const longest = 300;
const nothing: Fields = {};
