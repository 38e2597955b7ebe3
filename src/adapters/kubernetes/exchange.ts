import type { Clock } from '../../engine/ports.ts';
import { chunksOf, inTime, linkedAbort, untilAborted } from './abort.ts';
import { ApiError, TimeoutError } from './errors.ts';
import type { ApiResponse, Transport } from './transport.ts';

/** What every request goes through. */
export interface Door {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly userAgent: string;
  readonly requestTimeoutMs: number;
  /** When the server was last away, by the clock. */
  readonly away: { at: number };
}

export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends one request and reads the whole answer, both within the request's deadline. */
export async function exchange(door: Door, outgoing: Outgoing, signal?: AbortSignal): Promise<Answer> {
  const attempt = linkedAbort(signal);
  try {
    return await inTime(door.clock, door.requestTimeoutMs, send(door, outgoing, attempt.signal));
  } catch (error) {
    if (error instanceof TimeoutError) attempt.abort(error);
    throw signal?.aborted ? signal.reason : error;
  } finally {
    attempt.release();
  }
}

/** Sends one request and hands over the open body; the answer's head must come within the deadline. The caller aborts the signal to let go. */
export async function openStream(door: Door, outgoing: Outgoing, signal: AbortSignal): Promise<ApiResponse> {
  const response = await inTime(door.clock, door.requestTimeoutMs, open(door, outgoing, signal));
  if (response.status < 300) return response;
  const text = await inTime(door.clock, door.requestTimeoutMs, readText(response, signal));
  throw refusal(outgoing, { status: response.status, headers: response.headers, text });
}

/** The server's refusal as an error, in the server's words. */
export function refusal(outgoing: Outgoing, answer: Answer): ApiError {
  const { method, path } = outgoing;
  const status = statusIn(answer.text);
  const plain = `${method} ${path} answered ${answer.status}${answer.text === '' ? '' : `: ${answer.text.trim().slice(0, 300)}`}`;
  return new ApiError({
    message: status?.message ?? plain,
    status: answer.status,
    reason: status?.reason,
    details: status?.details,
    method,
    path,
    retryAfterMs: retryAfterMs(answer.headers['retry-after']),
  });
}

async function send(door: Door, outgoing: Outgoing, signal: AbortSignal): Promise<Answer> {
  const response = await open(door, outgoing, signal);
  return { status: response.status, headers: response.headers, text: await readText(response, signal) };
}

function open(door: Door, outgoing: Outgoing, signal: AbortSignal): Promise<ApiResponse> {
  const { method, path, contentType, body } = outgoing;
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': door.userAgent };
  if (contentType !== undefined) headers['content-type'] = contentType;
  return untilAborted(
    door.transport({ method, path, headers, ...(body === undefined ? {} : { body }), signal }),
    signal,
  );
}

async function readText(response: ApiResponse, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunksOf(response.body, signal)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

interface Status {
  readonly message?: string;
  readonly reason?: string;
  readonly details?: unknown;
}

function statusIn(text: string): Status | undefined {
  try {
    const body: unknown = JSON.parse(text);
    // Checked: the fields read later are all optional in a Status.
    if (typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'Status') return body as Status;
    return undefined;
  } catch {
    // Unknown paths and proxies answer with plain text.
    return undefined;
  }
}

function retryAfterMs(header: string | undefined): number | undefined {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}
