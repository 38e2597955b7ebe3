import type { ApiResponse } from './handler.ts';
import type { StatusError } from './status.ts';

/** What a handler below the door returns; the door turns it into bytes. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
}

export function json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  };
}

export function text(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

export function statusAnswer(error: StatusError): Answer {
  const headers = error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) };
  return json(error.code, error.status, headers);
}

export function toResponse(answer: Answer): ApiResponse {
  const { status, headers = {}, body } = answer;
  if (typeof body === 'string') return { status, headers, body: once(Buffer.from(body)) };
  return { status, headers, body: body instanceof Uint8Array ? once(body) : body };
}

/** A byte stream of one chunk, without the cost of a generator. */
function once(chunk: Uint8Array): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
      let sent = chunk.length === 0;
      return {
        next(): Promise<IteratorResult<Uint8Array>> {
          if (sent) return Promise.resolve({ done: true, value: undefined });
          sent = true;
          return Promise.resolve({ done: false, value: chunk });
        },
      };
    },
  };
}
