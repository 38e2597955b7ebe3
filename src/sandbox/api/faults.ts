import type { ApiRequest } from './handler.ts';

/** What goes wrong with one request. */
export type ApiFault =
  /** The connection is refused. */
  | { readonly kind: 'refuse' }
  /** The server answers with this status and does nothing. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  /** The server takes its time, then does what was asked. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** The watch opens and its connection breaks later. */
  | { readonly kind: 'drop-watch'; readonly afterMs: number }
  /** Nothing comes any more: no answer, or a watch that stays silent. */
  | { readonly kind: 'stall' }
  /** The request is carried out, but the bytes that come back are no JSON. */
  | { readonly kind: 'garbage' }
  /** The request is carried out, but the connection breaks in the middle of the answer. */
  | { readonly kind: 'reset-mid-body' };

export interface ApiFaults {
  before(request: ApiRequest, now: number): ApiFault | undefined;
}
