import { ApiError, TimeoutError, UnreachableError } from './errors.ts';
import { type Answer, type Door, exchange, type Outgoing, openStream, refusal } from './exchange.ts';
import type { ApiResponse } from './transport.ts';

/**
 * How often a request may be sent:
 * `read` changes nothing; `guarded` cannot take effect twice (resourceVersion, uid or name makes the second attempt a 409 that the
 * caller sees); `once` only again when the server surely has not processed it.
 */
export type Replay = 'read' | 'guarded' | 'once';

export interface Sending {
  readonly outgoing: Outgoing;
  readonly replay: Replay;
  readonly retryForMs: number;
  /** Service proxies: the status is the answer, whatever it is. */
  readonly anyStatus?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface Answered extends Answer {
  /** The parsed body; undefined when any status was welcome. */
  readonly json: unknown;
}

/** Sends until there is an answer, it is not safe to send again, or the time for retries is over. */
export async function sendWithRetries(door: Door, sending: Sending): Promise<Answered> {
  const startedAt = door.clock.now();
  let mayHaveHappened = false;
  for (let attempt = 1; ; attempt++) {
    const result = await tryOnce(door, sending);
    if ('answer' in result) return result.answer;
    mayHaveHappened ||= sending.replay !== 'read' && uncertain.has(result.kind);
    const safe = replayable[sending.replay].has(result.kind) || worthAnother(sending, result.kind, attempt);
    if (!safe && result.error instanceof ApiError) throw result.error;
    const delayMs = Math.max(backOffMs(attempt, door.random), retryAfter(result.error));
    const elapsedMs = door.clock.now() - startedAt;
    if (!safe || elapsedMs + delayMs > sending.retryForMs)
      throw unreachable(sending.outgoing, { attempt, elapsedMs, cause: result.error, mayHaveHappened });
    await door.clock.sleep(delayMs, sending.signal);
  }
}

/** Opens a stream, one attempt; trouble that may be over at the next one is an UnreachableError. */
export async function streamOnce(door: Door, outgoing: Outgoing, signal: AbortSignal): Promise<ApiResponse> {
  try {
    return await openStream(door, outgoing, signal);
  } catch (error) {
    if (isAway(troubleOfError(error))) door.away.at = door.clock.now();
    if (!isWaking(door, error)) throw error;
    throw unreachable(outgoing, { attempt: 1, elapsedMs: 0, cause: error, mayHaveHappened: false });
  }
}

/** How long after its return an API server may not know the rights of anybody: it answers before it has read them. */
const wakingMs = 15_000;

/** A refusal by a server that was away a moment ago says nothing yet. */
function isWaking({ away, clock }: Door, error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && clock.now() - away.at < wakingMs;
}

function isAway(kind: TroubleKind | undefined): boolean {
  return kind === 'refused' || kind === 'broken';
}

/** 0.2 s, doubled per failure up to 10 s, of which jitter takes away up to half. */
export function backOffMs(failures: number, random: () => number): number {
  const full = Math.min(10_000, 200 * 2 ** Math.min(failures - 1, 10));
  return full * (0.5 + random() / 2);
}

/** How long the server asked us to stay away. */
export function retryAfter(error: unknown): number {
  const cause = error instanceof UnreachableError ? error.cause : error;
  return cause instanceof ApiError ? (cause.retryAfterMs ?? 0) : 0;
}

/** Trouble that may be over at the next attempt, also when it met us in the middle of a body. */
export function isTransient(error: unknown): boolean {
  return error instanceof UnreachableError || troubleOfError(error) !== undefined;
}

type TroubleKind = 'refused' | 'waking' | 'broken' | 'timeout' | 'untrusted' | 'busy' | 'failing' | 'gateway';

const replayable: Record<Replay, ReadonlySet<TroubleKind>> = {
  read: new Set<TroubleKind>(['refused', 'waking', 'broken', 'timeout', 'busy', 'failing', 'gateway']),
  // `failing` only a few times, see worthAnother.
  guarded: new Set<TroubleKind>(['refused', 'waking', 'broken', 'timeout', 'busy', 'gateway']),
  once: new Set<TroubleKind>(['refused', 'waking', 'busy']),
};

/** The API server answers 500 when it stumbles, but also to writes that will never be right: a few attempts tell them apart. */
function worthAnother(sending: Sending, kind: TroubleKind, attempt: number): boolean {
  return sending.replay === 'guarded' && kind === 'failing' && attempt < 6;
}

const uncertain: ReadonlySet<TroubleKind> = new Set<TroubleKind>(['broken', 'timeout', 'gateway']);

type Result = { readonly answer: Answered } | { readonly kind: TroubleKind; readonly error: unknown };

async function tryOnce(door: Door, sending: Sending): Promise<Result> {
  try {
    return resultOf(door, sending, await exchange(door, sending.outgoing, sending.signal));
  } catch (error) {
    const kind = sending.signal?.aborted ? undefined : troubleOfError(error);
    if (kind === undefined) throw error;
    if (isAway(kind)) door.away.at = door.clock.now();
    return { kind, error };
  }
}

function resultOf(door: Door, { outgoing, anyStatus = false }: Sending, answer: Answer): Result {
  if (answer.status < 300) return anyStatus ? asItIs(answer) : parsed(answer);
  const error = refusal(outgoing, answer);
  // Of what a service proxy hands on, only words with a reason are the API server's own.
  const isOwnWord = !anyStatus || error.reason !== '';
  if (isOwnWord && isWaking(door, error)) return { kind: 'waking', error };
  if (anyStatus) return asItIs(answer);
  const kind = troubleOfStatus[error.status];
  if (kind === undefined) throw error;
  return { kind, error };
}

function asItIs(answer: Answer): Result {
  return { answer: { ...answer, json: undefined } };
}

function parsed(answer: Answer): Result {
  try {
    return { answer: { ...answer, json: JSON.parse(answer.text) } };
  } catch {
    // The parser's own message quotes the body, and a body may hold a Secret.
    return { kind: 'broken', error: new Error('the answer is not JSON, or was cut off') };
  }
}

const troubleOfStatus: Readonly<Record<number, TroubleKind>> = {
  429: 'busy',
  500: 'failing',
  502: 'gateway',
  503: 'busy',
  504: 'gateway',
};

/** What kind of trouble a connection had; undefined for an error that no second attempt can mend. */
function troubleOfError(error: unknown): TroubleKind | undefined {
  if (error instanceof TimeoutError) return 'timeout';
  // Node marks wrong arguments with a code too; those are our bugs.
  if (!(error instanceof Error) || error instanceof TypeError || !('code' in error)) return undefined;
  const code = String(error.code);
  if (neverSent.has(code) || ('syscall' in error && error.syscall === 'connect')) return 'refused';
  // By the protocol's own promise nothing was done for it.
  if (error.message.includes('NGHTTP2_REFUSED_STREAM')) return 'refused';
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(code)) return 'untrusted';
  return 'broken';
}

const neverSent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

interface GivingUp {
  readonly attempt: number;
  readonly elapsedMs: number;
  readonly cause: unknown;
  readonly mayHaveHappened: boolean;
}

function unreachable({ method, path }: Outgoing, last: GivingUp): UnreachableError {
  const { attempt, elapsedMs, cause, mayHaveHappened } = last;
  const why = cause instanceof Error ? cause.message : String(cause);
  const effort = attempt === 1 ? '' : ` (${attempt} attempts in ${Math.round(elapsedMs / 1000)} s)`;
  const unknown = mayHaveHappened ? '; the server may have carried it out' : '';
  return new UnreachableError(`no answer to ${method} ${path}${effort}: ${why}${unknown}`, { cause, mayHaveHappened });
}
