import { describe, expect, it } from 'vitest';
import { bench, platformOf } from '../../../test/harness.ts';
import { connectWorld } from './connect-world.ts';

const never = new AbortController().signal;
const platform = platformOf(`apiVersion: tiphys.dev/v1
kind: Platform
name: one
root: one-root
stacks: { s: { apps: { web: {} } } }
`);

describe('the watch on Applications', () => {
  it('that is refused is told to whoever waits, with the right that is missing, instead of as silence (R5.5)', async () => {
    const on = bench(platform);
    const forbidden = { kind: 'Status', message: 'applications is forbidden: cannot watch resource "applications"' };
    const world = connectWorld({
      transport: (request) =>
        /[?&]watch=1/.test(request.path)
          ? Promise.resolve({ status: 403, headers: { 'content-type': 'application/json' }, body: bytes(forbidden) })
          : on.sandbox.handle(request),
      clock: on.time,
      platform: 'one',
      argocdNamespace: 'argocd',
      newId: () => '1',
      random: () => 0.5,
      signal: never,
    });
    await on.time.run(world.argocd.observe(never));
    const waiting = on.time.run(world.argocd.changed('one-root', Number.POSITIVE_INFINITY, never));
    await expect(waiting).rejects.toThrow(/could not watch Applications: .*cannot watch resource "applications"/);
    on.close();
  });
});

async function* bytes(value: object): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(JSON.stringify(value));
}
