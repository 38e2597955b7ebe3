import { type Answer, json, text } from './answer.ts';
import { answerDiscovery } from './discovery.ts';
import type { ApiRequest } from './handler.ts';
import { answerOpenApi } from './openapi.ts';
import type { RequestInfo } from './request-info.ts';
import type { Server } from './server.ts';

/** Everything that is not a resource: version, health, discovery, OpenAPI. */
export function answerOtherPath(server: Server, request: ApiRequest, info: RequestInfo): Answer {
  const path = info.path.length > 1 ? info.path.replace(/\/$/, '') : info.path;
  if (path === '/version') return json(200, version);
  const health = /^\/(readyz|livez|healthz)(\/.*)?$/.exec(path);
  if (health !== null) return text(200, info.query.has('verbose') ? verbose(health[1] ?? '') : 'ok');
  if (path.startsWith('/openapi/')) return answerOpenApi(server, request, path) ?? nothing();
  return answerDiscovery(server, request, path) ?? nothing();
}

const nothing = (): Answer => text(404, '404 page not found\n');

const version = {
  major: '1',
  minor: '34',
  emulationMajor: '1',
  emulationMinor: '34',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '33',
  gitVersion: 'v1.34.11',
  gitCommit: '3a634765b787dd069f7f714fa77d767cb7d43795',
  gitTreeState: 'clean',
  buildDate: '2026-01-05T03:00:00Z',
  goVersion: 'go1.26.8',
  compiler: 'gc',
  platform: 'linux/amd64',
};

const verbose = (check: string): string => `[+]ping ok\n[+]log ok\n[+]etcd ok\n${check} check passed\n`;
