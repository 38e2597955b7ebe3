/** Negative, zero or positive: `1.9` comes before `1.10`, and `4.0` is `4.0.0`. Only numbers count. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A suffix such as `-rc.1` or `+g1234` is left out: a preview of a version has what the version has. */
function numbers(version: string): readonly number[] {
  return (/\d+(\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number);
}
