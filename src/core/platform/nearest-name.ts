/** The known name that was most likely meant, if one is near enough to be a slip of the fingers. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  const candidates = [...known];
  let nearest: string | undefined;
  // A third of the letters may differ, but never all of them.
  let best = Math.min(Math.max(1, Math.floor(wanted.length / 3)), wanted.length - 1) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= best) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), best);
    if (distance < best || (distance === best && nearest !== undefined && candidate < nearest)) {
      nearest = candidate;
      best = distance;
    }
  }
  return nearest ?? longerName(wanted, candidates);
}

/** `vault` where only `vault-server` exists is no slip, but worth a word. */
function longerName(wanted: string, candidates: readonly string[]): string | undefined {
  if (wanted.length < 3) return undefined;
  return candidates
    .filter((candidate) => candidate.startsWith(`${wanted}-`) || candidate.endsWith(`-${wanted}`))
    .sort()[0];
}

/** Insertions, deletions, changes and swaps of neighbours from one text to the other; gives up at the limit. */
function editDistance(a: string, b: string, limit: number): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      current.push(cost({ a, b, row, column }, { beforePrevious, previous, current }));
    }
    if (Math.min(...current) > limit) return limit + 1;
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

interface Cell {
  readonly a: string;
  readonly b: string;
  readonly row: number;
  readonly column: number;
}

interface Rows {
  readonly beforePrevious: readonly number[];
  readonly previous: readonly number[];
  readonly current: readonly number[];
}

function cost({ a, b, row, column }: Cell, { beforePrevious, previous, current }: Rows): number {
  const same = a[row - 1] === b[column - 1];
  const cheapest = Math.min(
    (previous[column] ?? 0) + 1,
    (current[column - 1] ?? 0) + 1,
    (previous[column - 1] ?? 0) + (same ? 0 : 1),
  );
  const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
  return swapped ? Math.min(cheapest, (beforePrevious[column - 2] ?? 0) + 1) : cheapest;
}
