import type { ResourceTypes } from '../store/resource-types.ts';
import type { Store } from '../store/store.ts';
import type { SandboxTime } from '../time.ts';
import { type Answer, statusAnswer, toResponse } from './answer.ts';
import { answerRequest } from './answer-request.ts';
import { actingAs } from './authorize.ts';
import { serveDefinitions } from './custom-resources.ts';
import type { ApiFaults } from './faults.ts';
import type { ApiRequest, Handler } from './handler.ts';
import { authenticate, type Identities } from './identities.ts';
import { injectFault } from './inject-fault.ts';
import { type RecordedRequest, recordOf } from './recorded-request.ts';
import { requestInfo } from './request-info.ts';
import { type Server, type ServiceProxy, suffixes } from './server.ts';
import { internalError, StatusError } from './status.ts';
import { watchHub } from './watch-hub.ts';

export interface ApiOptions {
  readonly store: Store;
  readonly types: ResourceTypes;
  readonly time: SandboxTime;
  /** Absent: everybody is the administrator. */
  readonly identities?: Identities;
  readonly faults?: ApiFaults;
  readonly serviceProxy?: ServiceProxy;
  /** How many requests the record holds before the older half is forgotten. */
  readonly keepRequests?: number;
}

export interface Api {
  readonly handle: Handler;
  /** Every request in the order of its answer, refused and failed ones too. */
  readonly requests: readonly RecordedRequest[];
}

/** A Kubernetes API server over a store. */
export function createApi(options: ApiOptions): Api {
  const { store, types, time, identities, faults, keepRequests: keep = mostRequests } = options;
  const server: Server = {
    store,
    types,
    time,
    hub: watchHub(store),
    serviceProxy: options.serviceProxy,
    nextSuffix: suffixes(),
  };
  serveDefinitions(server);
  const requests: RecordedRequest[] = [];

  async function handle(request: ApiRequest) {
    const at = time.now();
    const info = requestInfo(request.method, request.path);
    let user = '';
    const serve = async (): Promise<Answer> => {
      try {
        const sender = authenticate(identities, request.headers['authorization']);
        user = sender.user;
        const identity = actingAs(server, sender, request.headers);
        user = identity.user;
        return await answerRequest(server, request, info, identity);
      } catch (error) {
        return statusAnswer(asStatus(error, request.signal));
      }
    };
    const record = (status: number): void => {
      if (requests.length >= keep) requests.splice(0, Math.ceil(keep / 2));
      requests.push(recordOf({ at, user, request, info, status }));
    };
    const fault = faults?.before(request, at);
    try {
      const answer = fault === undefined ? await serve() : await injectFault(fault, request, time, serve);
      record(answer.status);
      return toResponse(answer);
    } catch (error) {
      record(0);
      throw error;
    }
  }

  return { handle, requests };
}

/** A sandbox that is served for days must not keep every request; no test comes near this. */
const mostRequests = 200_000;

function asStatus(error: unknown, signal: AbortSignal | undefined): StatusError {
  if (error instanceof StatusError) return error;
  if (signal?.aborted) throw error;
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return internalError(`Internal error occurred: ${why}`);
}
