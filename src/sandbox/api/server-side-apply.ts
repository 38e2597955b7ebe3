import type { Answer } from './answer.ts';
import type { Call } from './server.ts';
import { badRequest } from './status.ts';
import type { WriteOptions } from './write-options.ts';

export function apply(_call: Call, _options: WriteOptions): Answer {
  throw badRequest('server-side apply is not served yet');
}
