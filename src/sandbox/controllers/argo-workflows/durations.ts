const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90`, `90s`, `1h30m` in milliseconds; a plain number means seconds. Throws when it is none. */
export function durationMs(text: string | number): number {
  const written = String(text);
  if (/^\d+$/.test(written)) return Number(written) * 1000;
  const parts = [...written.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join('') === written;
  if (!isWhole) throw new Error(`unable to parse ${written} as a duration`);
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0), 0);
}

/** As a backoff is announced, in the two largest units: `2 seconds`, `1 minute 30 seconds`. */
export function spokenDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const parts: (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ];
  const largest = parts.findIndex(([amount]) => amount > 0);
  const said = largest < 0 ? parts.slice(-1) : parts.slice(largest, largest + 2);
  return said.map(([amount, unit]) => `${amount} ${unit}${amount === 1 ? '' : 's'}`).join(' ');
}
