import type { Clock } from '../../engine/ports.ts';
import { ApiError } from './errors.ts';
import type { Door, Outgoing } from './exchange.ts';
import { listAll } from './list-all.ts';
import { type Replay, sendWithRetries, streamOnce } from './retry.ts';
import type { ApiResponse, Transport } from './transport.ts';
import { withQuery } from './with-query.ts';

export interface ClientOptions {
  readonly clock: Clock;
  /** For jitter, 0 ≤ x < 1; without it the back-off is the same each time. */
  readonly random?: () => number;
  readonly userAgent?: string;
  /** Deadline of a single request. */
  readonly requestTimeoutMs?: number;
  /** How long transient trouble is retried before UnreachableError. */
  readonly retryForMs?: number;
}

/** Typed answers of an API server. A refusal is an ApiError; no answer within the time for retries an UnreachableError. */
export interface KubeClient {
  /** Undefined when there is no such object. */
  get<T = unknown>(path: string, signal?: AbortSignal): Promise<T | undefined>;
  /** All items, read in pages. */
  list<T = unknown>(path: string, query?: ListQuery, signal?: AbortSignal): Promise<Listed<T>>;
  /** A named object may be sent again after a broken connection, and the caller then sees AlreadyExists. */
  create<T = unknown>(path: string, body: object, signal?: AbortSignal): Promise<T>;
  /**
   * With `metadata.resourceVersion` in the body it is a compare-and-swap. `repeatable`: arriving twice does no harm, so it is
   * sent again when nobody knows whether the first one arrived.
   */
  mergePatch<T = unknown>(path: string, body: object, signal?: AbortSignal, how?: { repeatable: boolean }): Promise<T>;
  jsonPatch<T = unknown>(path: string, body: readonly object[], signal?: AbortSignal): Promise<T>;
  /** Server-side apply. */
  apply<T = unknown>(path: string, body: object, options?: { force?: boolean }, signal?: AbortSignal): Promise<T>;
  replace<T = unknown>(path: string, body: object, signal?: AbortSignal): Promise<T>;
  /** Undefined when it was not there. */
  delete<T = unknown>(path: string, options?: DeleteOptions, signal?: AbortSignal): Promise<T | undefined>;
  /** Any status is an answer: for probes through the service proxy. */
  raw(method: string, path: string, signal?: AbortSignal, how?: Haste): Promise<{ status: number; body: string }>;
  /** One attempt, body left open; the caller aborts the signal to let go. */
  stream(path: string, signal: AbortSignal): Promise<ApiResponse>;
}

/** For who would rather ask again later. */
export interface Haste {
  readonly requestTimeoutMs: number;
  readonly retryForMs: number;
}

export interface ListQuery {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Size of a page, 500 unless told; all pages are read. */
  readonly limit?: number;
  /** 0: one attempt. */
  readonly retryForMs?: number;
}

export interface Listed<T> {
  readonly items: T[];
  readonly resourceVersion: string;
}

export interface DeleteOptions {
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly gracePeriodSeconds?: number;
}

/** A client of the API server behind the transport. */
export function createClient(transport: Transport, options: ClientOptions): KubeClient {
  const door: Door = {
    transport,
    clock: options.clock,
    random: options.random ?? (() => 0.5),
    userAgent: options.userAgent ?? 'tiphys',
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    away: { at: Number.NEGATIVE_INFINITY },
  };
  const retryForMs = options.retryForMs ?? 60_000;

  async function ask<T>(outgoing: Outgoing, replay: Replay, signal?: AbortSignal): Promise<T> {
    const answer = await sendWithRetries(door, { outgoing, replay, retryForMs, signal });
    // The caller names the type it asked the server for; schemas check it where it matters.
    return answer.json as T;
  }

  function write<T>(method: string, path: string, order: Write, signal?: AbortSignal) {
    const { body, type = 'json', query = {}, replay = replayOf(method, body) } = order;
    const outgoing = {
      method,
      path: withQuery(path, { fieldManager: 'tiphys', ...query }),
      contentType: `application/${type}`,
      body: JSON.stringify(body),
    };
    return ask<T>(outgoing, replay, signal);
  }

  return {
    get: (path, signal) => orAbsent(ask({ method: 'GET', path }, 'read', signal)),
    list: (path, query = {}, signal) => {
      const sending = { replay: 'read' as const, retryForMs: query.retryForMs ?? retryForMs, signal };
      return listAll(path, query, async (outgoing) => (await sendWithRetries(door, { ...sending, outgoing })).json);
    },
    create: (path, body, signal) => write('POST', path, { body }, signal),
    mergePatch: (path, body, signal, how) =>
      write('PATCH', path, { body, type: 'merge-patch+json', ...(how?.repeatable && { replay: 'guarded' }) }, signal),
    jsonPatch: (path, body, signal) => write('PATCH', path, { body, type: 'json-patch+json' }, signal),
    apply: (path, body, { force = false } = {}, signal) =>
      // JSON is YAML.
      write('PATCH', path, { body, type: 'apply-patch+yaml', query: { force: String(force) } }, signal),
    replace: (path, body, signal) => write('PUT', path, { body }, signal),
    delete: (path, how = {}, signal) => {
      const body = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', ...how });
      const replay = how.preconditions === undefined ? 'once' : 'guarded';
      return orAbsent(ask({ method: 'DELETE', path, contentType: 'application/json', body }, replay, signal));
    },
    raw: async (method, path, signal, how = { requestTimeoutMs: door.requestTimeoutMs, retryForMs }) => {
      const replay = method === 'GET' || method === 'HEAD' ? 'read' : 'once';
      const sending = {
        outgoing: { method, path },
        replay,
        retryForMs: how.retryForMs,
        anyStatus: true,
        signal,
      } as const;
      const answer = await sendWithRetries({ ...door, requestTimeoutMs: how.requestTimeoutMs }, sending);
      return { status: answer.status, body: answer.text };
    },
    stream: (path, signal) => streamOnce(door, { method: 'GET', path }, signal),
  };
}

interface Write {
  readonly body: object;
  readonly type?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly replay?: Replay;
}

/** Writes that the server can carry out only once may be sent again when nobody knows whether the first one arrived. */
function replayOf(method: string, body: object): Replay {
  // A JSON patch that tests the resourceVersion, or an object that carries one.
  if (Array.isArray(body)) return body.some(testsResourceVersion) ? 'guarded' : 'once';
  const metadata: { resourceVersion?: unknown; name?: unknown } =
    'metadata' in body && typeof body.metadata === 'object' && body.metadata !== null ? body.metadata : {};
  const guard = method === 'POST' ? metadata.name : metadata.resourceVersion;
  return guard === undefined ? 'once' : 'guarded';
}

function testsResourceVersion(operation: { op?: unknown; path?: unknown }): boolean {
  return operation.op === 'test' && operation.path === '/metadata/resourceVersion';
}

async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
