import type { Connection } from '../adapters/kubernetes/connection.ts';
import type { ApiResponse, Transport } from '../adapters/kubernetes/transport.ts';

/** A connection whose credentials are remembered, and a transport that lets none of them come back. */
export interface Guarded {
  readonly connection: Connection;
  guard(transport: Transport): Transport;
}

/** R7.5: servers and proxies may repeat a request in their refusal; what they repeat of our credentials goes no further. */
export function guardSecrets(connection: Connection): Guarded {
  const secrets = new Set<string>();
  return {
    connection: {
      ...connection,
      async credentials() {
        const credentials = await connection.credentials();
        for (const secret of secretsIn(String(credentials.headers['authorization'] ?? ''))) secrets.add(secret);
        return credentials;
      },
    },
    guard: (transport) => async (request) => {
      const response = await transport(request);
      return response.status < 400 ? response : { ...response, body: masked(response.body, secrets) };
    },
  };
}

/** `Bearer abc` → `abc`; `Basic …` → itself and the password in it. */
function secretsIn(authorization: string): string[] {
  const [scheme = '', value = ''] = authorization.split(' ', 2);
  if (value === '') return [];
  if (scheme !== 'Basic') return [value];
  const pair = Buffer.from(value, 'base64').toString();
  return [value, pair.slice(pair.indexOf(':') + 1)].filter((secret) => secret !== '');
}

async function* masked(body: ApiResponse['body'], secrets: ReadonlySet<string>): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  let text = Buffer.concat(chunks).toString();
  for (const secret of secrets) text = text.replaceAll(secret, '***');
  yield Buffer.from(text);
}
