/** One request to the API server. The same shape as the executor's transport, declared here because the sandbox must not import the adapters. */
export interface ApiRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

export type Handler = (request: ApiRequest) => Promise<ApiResponse>;
