/** Go's notation: `90s`, `1h30m`, `1.5h`. */
export const durationPattern =
  '^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|ms|s|m|h)(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|ms|s|m|h))*$|^0$';

const millisecondsPer: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const whole = new RegExp(durationPattern);

/** Milliseconds of a duration as Go writes it, or nothing when it is not one. Negative durations are not accepted: nothing here waits backwards. */
export function parseDuration(text: string): number | undefined {
  // Longer than any duration that means something, and long enough to slow a regular expression down.
  if (text.length > 64 || !whole.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, amount, unit] of text.matchAll(/([0-9.]+)([a-zµ]+)/g)) {
    milliseconds += Number(amount) * (millisecondsPer[unit ?? ''] ?? 0);
  }
  return milliseconds;
}
