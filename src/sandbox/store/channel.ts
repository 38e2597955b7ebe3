/** Hands values to subscribers one after the other, also when a subscriber causes the next one. */
export interface Channel<T> {
  send(value: T): void;
  subscribe(listener: (value: T) => void): () => void;
}

export function inOrder<T>(): Channel<T> {
  const listeners = new Set<(value: T) => void>();
  const waiting: T[] = [];
  let sending = false;
  return {
    send(value) {
      waiting.push(value);
      if (sending) return;
      sending = true;
      try {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          for (const listener of [...listeners]) listener(next);
        }
      } finally {
        sending = false;
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
