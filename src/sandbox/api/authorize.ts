import type { Identity } from './identities.ts';
import type { RequestInfo } from './request-info.ts';
import type { Server } from './server.ts';

export function authorize(_server: Server, _info: RequestInfo, _user: Identity): void {}
