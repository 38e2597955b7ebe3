import type { KubeObject } from '../store/objects.ts';
import { type Answer, json } from './answer.ts';
import { objectJson, toYaml } from './encode.ts';
import { negotiate } from './negotiate.ts';
import type { Call } from './server.ts';
import { metadataOnly, tableOfOne } from './table.ts';

/** One object, the way the client wants it. */
export function respond(call: Call, status: number, object: KubeObject, warnings: readonly string[] = []): Answer {
  const { as, format } = negotiate(call.request.headers['accept']);
  const headers: Record<string, string> = {};
  if (warnings.length > 0) {
    headers['warning'] = warnings.map((warning) => `299 - ${JSON.stringify(warning)}`).join(', ');
  }
  if (as === 'table') return json(status, tableOfOne(call, object), headers);
  if (as === 'metadata') return json(status, metadataOnly(object), headers);
  if (format === 'json') return json(status, objectJson(object), headers);
  return { status, headers: { ...headers, 'content-type': 'application/yaml' }, body: toYaml(object) };
}
