/** How much faster than its scenario the world moves; `max` waits for nothing. */
export type Pace = number | 'max';

/** `60x` or `max`; undefined for anything else. */
export function parsePace(text: string): Pace | undefined {
  if (text === 'max') return 'max';
  const factor = Number(/^(\d+(?:\.\d+)?)x$/.exec(text)?.[1]);
  return factor > 0 ? factor : undefined;
}

/** Scenario time as the testbed takes it. */
export function paced(ms: number, pace: Pace): number {
  return pace === 'max' ? 0 : Math.round(ms / pace);
}

/** As Go writes durations. */
export function duration(ms: number): string {
  return `${ms}ms`;
}
