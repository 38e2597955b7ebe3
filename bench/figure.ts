/** One measured thing. */
export interface Figure {
  readonly what: string;
  /** As people read it, with its unit. */
  readonly value: string;
  /** The promise, as people read it; undefined: only told. */
  readonly goal?: string;
  readonly met?: boolean;
}

export interface BenchContext {
  /** The clone, with a slash at the end. */
  readonly root: string;
  /** Where the bundled children are. */
  readonly built: string;
}

export type Benchmark = (context: BenchContext) => Promise<readonly Figure[]>;

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The smallest value that at least this share of all values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

/** A figure with a goal: below its limit, or for `≤` not above it. */
export function judged(
  what: string,
  measured: number,
  [sign, limit]: readonly ['<' | '≤', number],
  text: (value: number) => string,
): Figure {
  const met = sign === '<' ? measured < limit : measured <= limit;
  return { what, value: text(measured), goal: `${sign} ${text(limit)}`, met };
}

export function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

export function seconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} s`;
}

export function times(value: number): string {
  return `${value.toFixed(2)} ×`;
}

/** Every figure with its goal, and whether it was met. */
export function goalTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, value, goal = '', met }) => [
    what,
    value,
    goal,
    met === undefined ? '' : met ? 'met' : '**missed**',
  ]);
  return markdownTable(['what', 'measured', 'goal', ''], rows);
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
