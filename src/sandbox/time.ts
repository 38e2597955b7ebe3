/** The cluster's time. Virtual: jumps to the next sleeper when nothing else can run. Scaled: real timers, `speed` times as fast. */
export interface SandboxTime {
  /** Milliseconds since the epoch, cluster time. */
  now(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `ms`; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
}

export interface VirtualTime extends SandboxTime {
  /** Turns time until the promise settles. Throws when it cannot settle any more because nobody sleeps. */
  run<T>(until: Promise<T>): Promise<T>;
}

/** More than a thousand apps do at one moment: whoever needs more goes in circles, and would never end. */
const mostAtOnce = 200_000;

/** Where virtual time starts, so that two runs of one seed print the same times. */
export const virtualEpoch = Date.UTC(2026, 0, 5, 3, 0, 0);

export function virtualTime(start: number = virtualEpoch): VirtualTime {
  let now = start;
  let sequence = 0;
  const queue = sleeperQueue();

  function after(ms: number, callback: () => void): () => void {
    const sleeper: Sleeper = { at: now + Math.max(0, ms), sequence: sequence++, callback, cancelled: false };
    queue.push(sleeper);
    return () => {
      sleeper.cancelled = true;
    };
  }

  async function run<T>(until: Promise<T>): Promise<T> {
    let settled = false;
    const done = (): void => {
      settled = true;
    };
    until.then(done, done);
    let atOnce = 0;
    for (let idleTurns = 0; !settled; ) {
      await macrotask();
      if (settled) break;
      const next = queue.pop();
      if (next === undefined) {
        // One turn may not be enough when a stream hands over through several macrotasks (node streams do).
        if (++idleTurns > 50) throw new Error('virtual time stands still: something waits, but not for time');
        continue;
      }
      idleTurns = 0;
      atOnce = next.at > now ? 0 : atOnce + 1;
      if (atOnce > mostAtOnce)
        throw new Error('virtual time stands still: somebody looks again and again without waiting');
      now = Math.max(now, next.at);
      next.callback();
    }
    return until;
  }

  return { now: () => now, after, sleep: (ms, signal) => sleepOn(after, ms, signal), run };
}

/** Node fires longer timers at once. */
const longestTimerMs = 2 ** 31 - 1;

export function scaledTime(speed: number, start: number = Date.now()): SandboxTime {
  const realStart = performance.now();
  function after(ms: number, callback: () => void): () => void {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms) / speed, longestTimerMs));
    return () => clearTimeout(timer);
  }
  return {
    now: () => start + (performance.now() - realStart) * speed,
    after,
    sleep: (ms, signal) => sleepOn(after, ms, signal),
  };
}

function sleepOn(after: SandboxTime['after'], ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Sleeper {
  readonly at: number;
  readonly sequence: number;
  readonly callback: () => void;
  cancelled: boolean;
}

/** A binary heap by (time, order of arrival): equal times wake in the order in which they went to sleep. */
function sleeperQueue(): { push(sleeper: Sleeper): void; pop(): Sleeper | undefined } {
  const heap: Sleeper[] = [];
  const earlier = (a: Sleeper, b: Sleeper): boolean => (a.at === b.at ? a.sequence < b.sequence : a.at < b.at);

  function push(sleeper: Sleeper): void {
    let index = heap.push(sleeper) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Sleeper;
      if (!earlier(sleeper, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = sleeper;
  }

  function popAny(): Sleeper | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && earlier(heap[child + 1] as Sleeper, heap[child] as Sleeper)) child++;
      if (!earlier(heap[child] as Sleeper, last)) break;
      heap[index] = heap[child] as Sleeper;
      index = child;
    }
    heap[index] = last;
    return first;
  }

  function pop(): Sleeper | undefined {
    for (;;) {
      const sleeper = popAny();
      if (sleeper === undefined || !sleeper.cancelled) return sleeper;
    }
  }

  return { push, pop };
}
