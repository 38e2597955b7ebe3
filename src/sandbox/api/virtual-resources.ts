import type { Answer } from './answer.ts';
import type { ApiRequest } from './handler.ts';
import type { Identity } from './identities.ts';
import type { ResourcePath } from './request-info.ts';
import type { Server } from './server.ts';

export function answerVirtual(
  _server: Server,
  _request: ApiRequest,
  _path: ResourcePath,
  _user: Identity,
): Answer | undefined {
  return undefined;
}
