import { type Answer, text } from './answer.ts';
import type { ApiRequest } from './handler.ts';
import type { RequestInfo } from './request-info.ts';
import type { Server } from './server.ts';

export function answerOtherPath(_server: Server, _request: ApiRequest, info: RequestInfo): Answer {
  if (['/readyz', '/livez', '/healthz'].includes(info.path)) return text(200, 'ok');
  return text(404, '404 page not found\n');
}
