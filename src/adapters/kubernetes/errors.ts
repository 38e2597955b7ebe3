/** The API server answered, and the answer is no. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** `NotFound`, `Conflict`, `AlreadyExists` … or empty when the server named none. */
  readonly reason: string;
  /** `details` of the Status as the server sent it. */
  readonly details: unknown;
  readonly method: string;
  readonly path: string;
  readonly retryAfterMs: number | undefined;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.status = refusal.status;
    this.reason = refusal.reason ?? '';
    this.details = refusal.details;
    this.method = refusal.method;
    this.path = refusal.path;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

export interface Refusal {
  readonly message: string;
  readonly status: number;
  readonly reason?: string | undefined;
  readonly details?: unknown;
  readonly method: string;
  readonly path: string;
  readonly retryAfterMs?: number | undefined;
}

/** No usable answer within the time for retries, or none and a retry would not be safe; `cause` is the last trouble. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** True for a write of which nobody knows whether the server carried it out: read back before writing again. */
  readonly mayHaveHappened: boolean;

  constructor(message: string, options: { cause: unknown; mayHaveHappened?: boolean }) {
    super(message, { cause: options.cause });
    this.mayHaveHappened = options.mayHaveHappened ?? false;
  }
}

/** A wait reached its deadline. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}
