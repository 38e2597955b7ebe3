/** No two neighbours with the same verdict, as far as possible: an old verdict must not pass for the new one. */
export function inTurns<T>(all: readonly T[], verdict: (one: T) => string): T[] {
  const left = [...all];
  const turns: T[] = [];
  const count = (wanted: string): number => left.filter((one) => verdict(one) === wanted).length;
  while (left.length > 0) {
    const last = turns.at(-1);
    const others = left.filter((one) => last === undefined || verdict(one) !== verdict(last));
    const candidates = others.length > 0 ? others : left;
    const next = candidates.reduce((a, b) => (count(verdict(b)) > count(verdict(a)) ? b : a));
    turns.push(next);
    left.splice(left.indexOf(next), 1);
  }
  return turns;
}
