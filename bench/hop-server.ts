// The embedded cluster in a process of its own, served over HTTP in real time; its parent asks for its record at the end.

import { serveHttp } from '../src/sandbox/api/serve-http.ts';
import { createSandbox, type Sandbox } from '../src/sandbox/sandbox.ts';
import { scaledTime } from '../src/sandbox/time.ts';
import { platformOf } from '../test/harness.ts';
import { stepOf } from './overhead.ts';

export interface HopRecord {
  /** Application → when the API showed it Healthy, Synced and without an operation for the first time. */
  readonly healthyAt: Readonly<Record<string, number>>;
  /** Application or parent → when operations were patched onto it, in order. */
  readonly patchedAt: Readonly<Record<string, readonly number[]>>;
}

const [dag = '', overlooks = 'never'] = process.argv.slice(2);
const platform = platformOf(dag);
const sandbox = createSandbox({
  record: 'all',
  platform,
  scenario: { defaults: { readyMs: 300, syncMs: 100 }, apps: new Map() },
  time: scaledTime(1),
  ...(overlooks === 'never' ? { timing: { overlooks: () => false } } : {}),
});
const server = await serveHttp(sandbox.handle, { host: '127.0.0.1', port: 0 });
process.on('message', () => {
  process.send?.(recordOf(sandbox));
  sandbox.stop();
  void server.close().then(() => process.disconnect());
});
process.send?.(server.url);

function recordOf({ changes, requests }: Sandbox): HopRecord {
  const healthyAt: Record<string, number> = {};
  for (const { object, at } of changes) {
    if (object.kind !== 'Application' || healthyAt[object.metadata.name] !== undefined) continue;
    const seen = object as { operation?: unknown; status?: ApplicationStatus };
    const { status } = seen;
    const done = status?.operationState?.phase === 'Succeeded' && (seen.operation ?? undefined) === undefined;
    if (done && status.sync?.status === 'Synced' && status.health?.status === 'Healthy')
      healthyAt[object.metadata.name] = at;
  }
  const patchedAt: Record<string, number[]> = {};
  for (const { at, body, resource, status } of requests) {
    if (stepOf(body) === undefined || resource?.name === undefined || status !== 200) continue;
    const before = patchedAt[resource.name] ?? [];
    patchedAt[resource.name] = [...before, at];
  }
  return { healthyAt, patchedAt };
}

interface ApplicationStatus {
  readonly sync?: { readonly status?: string };
  readonly health?: { readonly status?: string };
  readonly operationState?: { readonly phase?: string };
}
