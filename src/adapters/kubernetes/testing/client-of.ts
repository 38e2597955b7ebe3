import type { Clock } from '../../../engine/ports.ts';
import { createClient, type KubeClient } from '../client.ts';
import { httpsTransport } from '../https-transport.ts';

/** A client of a server without credentials. */
export function clientOf({ url }: { readonly url: string }, clock: Clock): KubeClient & { close(): void } {
  const connection = { server: url, context: 'test', renews: false };
  const transport = httpsTransport({ ...connection, credentials: async () => ({ headers: {}, tls: {} }) });
  return { ...createClient(transport, { clock, random: () => 0.99 }), close: transport.close };
}
