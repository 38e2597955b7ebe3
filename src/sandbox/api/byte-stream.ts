/** A stream that somebody pushes into and one reader iterates over. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
  push(chunk: Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
}

/** `onClose` is called once, however the stream ends: end, failure, or the reader leaving. */
export function byteStream(onClose: () => void): ByteStream {
  const waiting: Uint8Array[] = [];
  let taken = 0;
  let finished: { error?: unknown } | undefined;
  let reader: { resolve(result: IteratorResult<Uint8Array>): void; reject(error: unknown): void } | undefined;

  function finish(how: { error?: unknown }): void {
    if (finished !== undefined) return;
    finished = how;
    onClose();
    const current = reader;
    reader = undefined;
    if (current === undefined) return;
    if ('error' in how) current.reject(how.error);
    else current.resolve({ done: true, value: undefined });
  }

  function next(): Promise<IteratorResult<Uint8Array>> {
    const chunk = waiting[taken];
    if (chunk !== undefined) {
      taken++;
      if (taken === waiting.length) {
        waiting.length = 0;
        taken = 0;
      }
      return Promise.resolve({ done: false, value: chunk });
    }
    if (finished === undefined) return new Promise((resolve, reject) => (reader = { resolve, reject }));
    return 'error' in finished ? Promise.reject(finished.error) : Promise.resolve({ done: true, value: undefined });
  }

  function leave(): Promise<IteratorResult<Uint8Array>> {
    waiting.length = 0;
    taken = 0;
    finish({});
    return Promise.resolve({ done: true, value: undefined });
  }

  return {
    push(chunk) {
      if (finished !== undefined) return;
      const current = reader;
      reader = undefined;
      if (current === undefined) waiting.push(chunk);
      else current.resolve({ done: false, value: chunk });
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    [Symbol.asyncIterator]: () => ({ next, return: leave }),
  };
}
