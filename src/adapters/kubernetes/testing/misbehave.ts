import type { ServerResponse } from 'node:http';
import { failure, type JsonAnswer } from './collection-answers.ts';

/** What the next request of a kind meets instead of an answer. */
export type Fault =
  | { readonly type: 'status'; readonly status: number; readonly retryAfter?: string; readonly body?: string }
  | { readonly type: 'reset' | 'stall' | 'reset-after-processing' | 'truncated' | 'slow' | 'end' | 'gone-event' }
  | { readonly type: 'lines'; readonly lines: readonly string[]; readonly after: 'end' | 'reset' | 'stall' };

/** Treats one request as the fault says. */
export function misbehave(fault: Fault, response: ServerResponse): void {
  switch (fault.type) {
    case 'status':
      response.writeHead(fault.status, fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter });
      response.end(fault.body ?? JSON.stringify(failure(fault.status, 'Fault')));
      return;
    case 'reset':
    case 'reset-after-processing':
      response.socket?.resetAndDestroy();
      return;
    case 'gone-event':
      response.writeHead(200).end(`${JSON.stringify({ type: 'ERROR', object: failure(410, 'Expired') })}\n`);
      return;
    case 'lines':
      response.writeHead(200);
      response.write(fault.lines.join('\n'), () => finish(fault.after, response));
      return;
    case 'end':
      response.writeHead(200).end();
      return;
    case 'stall':
    case 'slow':
    case 'truncated':
      return;
  }
}

/** Sends an answer, whole unless told otherwise. */
export function sendAnswer(response: ServerResponse, { status, json }: JsonAnswer, how?: Fault['type']): void {
  const bytes = Buffer.from(JSON.stringify(json));
  response.writeHead(status, { 'content-type': 'application/json' });
  if (how === 'truncated') response.end(bytes.subarray(0, bytes.length / 2));
  else if (how === 'slow') sendSlowly(response, bytes, 0);
  else response.end(bytes);
}

function finish(how: 'end' | 'reset' | 'stall', response: ServerResponse): void {
  if (how === 'end') response.end();
  if (how === 'reset') response.socket?.destroy();
}

function sendSlowly(response: ServerResponse, bytes: Buffer, from: number): void {
  if (from === bytes.length) response.end();
  // Each byte is its own write, and the next one waits until it is on its way.
  else response.write(bytes.subarray(from, from + 1), () => sendSlowly(response, bytes, from + 1));
}
