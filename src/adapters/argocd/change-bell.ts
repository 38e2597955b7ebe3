import type { Clock } from '../../engine/ports.ts';

/** Wakes those who wait for one Application, and only those: a thousand waiting steps must not all look at every event. */
export interface ChangeBell {
  ring(name: string): void;
  ringAll(): void;
  /** Resolves at the next ring for this name, or at the time `until`. */
  changed(name: string, until: number, signal: AbortSignal): Promise<void>;
}

export function createChangeBell(clock: Clock): ChangeBell {
  const waiting = new Map<string, Set<() => void>>();

  function ring(name: string): void {
    const listeners = waiting.get(name);
    waiting.delete(name);
    for (const listener of listeners ?? []) listener();
  }

  async function changed(name: string, until: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const over = new AbortController();
    const rung = new Promise<void>((resolve) => {
      const listeners = waiting.get(name) ?? new Set();
      listeners.add(resolve);
      waiting.set(name, listeners);
      over.signal.addEventListener('abort', () => listeners.delete(resolve), { once: true });
    });
    const stop = (): void => over.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const sleeping = Number.isFinite(until)
      ? clock.sleep(Math.max(0, until - clock.now()), over.signal)
      : untilAborted(over.signal);
    try {
      await Promise.race([rung, sleeping]);
    } finally {
      signal.removeEventListener('abort', stop);
      over.abort(ended);
      // The sleep that lost the race ends with our own reason; nobody listens any more.
      sleeping.catch(() => undefined);
    }
    signal.throwIfAborted();
  }

  return {
    ring,
    ringAll() {
      for (const name of [...waiting.keys()]) ring(name);
    },
    changed,
  };
}

const ended = new Error('the wait is over');

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
