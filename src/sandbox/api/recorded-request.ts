import type { ApiRequest } from './handler.ts';
import type { RequestInfo } from './request-info.ts';

/** One request as the API server saw it: what tests judge from. */
export interface RecordedRequest {
  /** Cluster time of its arrival, in milliseconds. */
  readonly at: number;
  readonly user: string;
  readonly method: string;
  readonly path: string;
  /** Parsed where it is JSON. */
  readonly body?: unknown;
  /** 0: no answer reached the client. */
  readonly status: number;
  readonly resource?: {
    readonly group: string;
    readonly plural: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
  };
  /** It asked for a change of the cluster, whether or not it was granted. Dry runs and reviews of rights do not. */
  readonly write: boolean;
}

export function recordOf(seen: {
  at: number;
  user: string;
  request: ApiRequest;
  info: RequestInfo;
  status: number;
}): RecordedRequest {
  const { request, info } = seen;
  return {
    at: seen.at,
    user: seen.user,
    method: request.method,
    path: request.path,
    ...(request.body === undefined ? {} : { body: parsed(request.body) }),
    status: seen.status,
    ...(info.resource === undefined ? {} : { resource: info.resource }),
    write: isWrite(info, request),
  };
}

function isWrite(info: RequestInfo, request: ApiRequest): boolean {
  if (info.resource === undefined || ['get', 'list', 'watch'].includes(info.verb)) return false;
  if (info.query.has('dryRun')) return false;
  if (request.method === 'OPTIONS' || info.resource.subresource === 'proxy') return false;
  return !info.resource.plural.endsWith('reviews');
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // YAML, protobuf or a mistake: kept as it came.
    return body;
  }
}
