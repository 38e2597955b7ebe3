/** The changes that can still be watched from, oldest first. */
export interface History<T extends Revised> {
  readonly compactedRevision: number;
  add(change: T): void;
  since(revision: number): readonly T[] | undefined;
  compact(revision: number): void;
}

interface Revised {
  readonly revision: number;
}

/** Keeps at least `keep` changes, and at most twice as many, unless told to compact. */
export function changeHistory<T extends Revised>(keep: number): History<T> {
  let changes: T[] = [];
  let compacted = 0;

  function compact(to: number): void {
    const last = changes.at(-1)?.revision ?? compacted;
    compacted = Math.max(compacted, Math.min(to, last));
    changes = changes.slice(after(changes, compacted));
  }

  return {
    get compactedRevision() {
      return compacted;
    },
    add(change) {
      changes.push(change);
      const oldest = changes[changes.length - keep];
      if (changes.length > keep * 2 && oldest !== undefined) compact(oldest.revision);
    },
    since: (revision) => (revision < compacted ? undefined : changes.slice(after(changes, revision))),
    compact,
  };
}

/** The index of the first change above a revision. */
function after(changes: readonly Revised[], revision: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle] as Revised).revision <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}
