/** The one door to an API server: request in, status, headers and a byte stream out. Everything above is the same code for HTTPS and for the sandbox. */
export type Transport = (request: ApiRequest) => Promise<ApiResponse>;

export interface ApiRequest {
  readonly method: string;
  /** Path with query, from the server's root. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}
