import { describe, expect, it } from 'vitest';
import type { Connection } from '../adapters/kubernetes/connection.ts';
import { guardSecrets } from './guard-secrets.ts';

describe('guardSecrets (R7.5)', () => {
  it.each([
    ['a token', 'Bearer planted-4711', 'you sent Bearer planted-4711', 'you sent Bearer ***'],
    [
      'a password',
      `Basic ${Buffer.from('bot:hunter2').toString('base64')}`,
      'hunter2 of bot is wrong',
      '*** of bot is wrong',
    ],
  ])('lets %s that comes back in a refusal go no further', async (_what, authorization, said, told) => {
    const guarded = await guardedWith(authorization);
    expect(await answer(guarded, 403, said)).toBe(told);
  });

  it('leaves what is no refusal alone: an object is what it is', async () => {
    const guarded = await guardedWith('Bearer planted-4711');
    expect(await answer(guarded, 200, 'planted-4711')).toBe('planted-4711');
  });

  it('knows every token of a connection that renews them', async () => {
    const tokens = ['Bearer first-token', 'Bearer second-token'];
    const guarded = guardSecrets(connectionWith(() => tokens.shift() ?? ''));
    await guarded.connection.credentials();
    await guarded.connection.credentials();
    expect(await answer(guarded, 401, 'first-token second-token')).toBe('*** ***');
  });
});

async function guardedWith(authorization: string) {
  const guarded = guardSecrets(connectionWith(() => authorization));
  await guarded.connection.credentials();
  return guarded;
}

function connectionWith(authorization: () => string): Connection {
  return {
    server: 'https://example.com',
    context: 'c',
    renews: true,
    credentials: async () => ({ headers: { authorization: authorization() }, tls: {} }),
  };
}

async function answer(guarded: ReturnType<typeof guardSecrets>, status: number, text: string): Promise<string> {
  const transport = guarded.guard(async () => ({
    status,
    headers: {},
    // In two pieces: a secret may be cut in the middle.
    body: (async function* () {
      yield Buffer.from(text.slice(0, 12));
      yield Buffer.from(text.slice(12));
    })(),
  }));
  const response = await transport({ method: 'GET', path: '/', headers: {} });
  let told = '';
  for await (const chunk of response.body) told += Buffer.from(chunk).toString();
  return told;
}
