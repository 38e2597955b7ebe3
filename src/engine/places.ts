/** Lets only so many work at once; the others wait in the order in which they came. */
export interface Places {
  /** Does the work as soon as there is a place for it; not at all when the signal aborts before. */
  use(work: () => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** 0: no limit. */
export function createPlaces(count: number): Places {
  const waiting = new Set<() => void>();
  let free = count === 0 ? Number.POSITIVE_INFINITY : count;

  async function wait(signal: AbortSignal): Promise<void> {
    let leave: () => void = () => undefined;
    const called = new Promise<void>((resolve) => {
      leave = resolve;
    });
    waiting.add(leave);
    signal.addEventListener('abort', leave, { once: true });
    await called;
    signal.removeEventListener('abort', leave);
    waiting.delete(leave);
  }

  function callNext(): void {
    const [next] = waiting;
    if (next === undefined) return;
    waiting.delete(next);
    next();
  }

  return {
    async use(work, signal) {
      // Whoever is called asks again: somebody who came at that moment may have been faster.
      while (free <= 0 && !signal.aborted) await wait(signal);
      if (signal.aborted) return callNext();
      free--;
      try {
        await work();
      } finally {
        free++;
        callNext();
      }
    },
  };
}
