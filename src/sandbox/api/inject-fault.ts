import type { SandboxTime } from '../time.ts';
import { type Answer, statusAnswer } from './answer.ts';
import { byteStream } from './byte-stream.ts';
import type { ApiFault } from './faults.ts';
import type { ApiRequest } from './handler.ts';
import { failure, StatusError } from './status.ts';

/** Answers a request the way the fault says; `serve` is what a healthy server would do. */
export async function injectFault(
  fault: ApiFault,
  request: ApiRequest,
  time: SandboxTime,
  serve: () => Promise<Answer>,
): Promise<Answer> {
  switch (fault.kind) {
    case 'refuse':
      throw brokenConnection('ECONNREFUSED');
    case 'status':
      return statusAnswer(statusFor(fault.status, fault.retryAfter));
    case 'latency':
      await time.sleep(fault.ms, request.signal);
      return serve();
    case 'stall':
      return stalled(request);
    case 'drop-watch':
      return dropped(await serve(), fault.afterMs, time);
    case 'garbage':
      return garbled(await serve());
    case 'reset-mid-body':
      return halved(await serve());
  }
}

/** An error as node's sockets raise it. */
function brokenConnection(code: 'ECONNREFUSED' | 'ECONNRESET'): Error {
  const words = code === 'ECONNREFUSED' ? 'connect ECONNREFUSED' : 'read ECONNRESET';
  return Object.assign(new Error(words), { code });
}

function statusFor(code: number, retryAfter: number | undefined): StatusError {
  const [reason, message] = reasons[code] ?? ['InternalError', 'an error on the server has prevented the request'];
  const details = retryAfter === undefined ? undefined : { retryAfterSeconds: retryAfter };
  return new StatusError(failure(code, reason, message, details).status, retryAfter);
}

const reasons: Readonly<Record<number, readonly [string, string]>> = {
  401: ['Unauthorized', 'Unauthorized'],
  403: ['Forbidden', 'forbidden'],
  409: ['Conflict', 'the object has been modified; please apply your changes to the latest version and try again'],
  410: ['Expired', 'The resourceVersion for the provided list is too old.'],
  429: ['TooManyRequests', 'Too many requests, please try again later.'],
  500: ['InternalError', 'Internal error occurred'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'request did not complete within the allowed duration'],
};

function stalled(request: ApiRequest): Promise<Answer> | Answer {
  const { signal } = request;
  const isWatch = /[?&]watch=(1|true)\b/.test(request.path);
  if (!isWatch) {
    return new Promise((_resolve, reject) => {
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }
  const abort = (): void => stream.fail(signal?.reason);
  const stream = byteStream(() => signal?.removeEventListener('abort', abort));
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  return { status: 200, headers: { 'content-type': 'application/json' }, body: stream };
}

function dropped(answer: Answer, afterMs: number, time: SandboxTime): Answer {
  const { body } = answer;
  if (typeof body === 'string' || body instanceof Uint8Array) return answer;
  return { ...answer, body: breakAfter(body, afterMs, time) };
}

function breakAfter(body: AsyncIterable<Uint8Array>, afterMs: number, time: SandboxTime): AsyncIterable<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  const stream = byteStream(() => {
    cancel();
    void source.return?.();
  });
  const cancel = time.after(afterMs, () => stream.fail(brokenConnection('ECONNRESET')));
  const pump = (): void => {
    source.next().then(
      ({ done, value }) => {
        if (done === true) return stream.end();
        stream.push(value);
        pump();
      },
      (error: unknown) => stream.fail(error),
    );
  };
  pump();
  return stream;
}

const garbage = Buffer.from('<html>\u0000 502 not what you asked for\n');

function garbled(answer: Answer): Answer {
  const { body } = answer;
  if (typeof body === 'string' || body instanceof Uint8Array) return { ...answer, body: garbage };
  return {
    ...answer,
    body: (async function* () {
      yield garbage;
      yield* body;
    })(),
  };
}

function halved(answer: Answer): Answer {
  const { body } = answer;
  const chunks =
    typeof body === 'string' || body instanceof Uint8Array
      ? (async function* () {
          yield Buffer.from(body);
        })()
      : body;
  return {
    ...answer,
    body: (async function* () {
      for await (const chunk of chunks) {
        yield chunk.subarray(0, Math.floor(chunk.length / 2));
        break;
      }
      throw brokenConnection('ECONNRESET');
    })(),
  };
}
