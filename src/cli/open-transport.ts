import { httpsTransport } from '../adapters/kubernetes/https-transport.ts';
import { connect } from '../adapters/kubernetes/kubeconfig.ts';
import type { Transport } from '../adapters/kubernetes/transport.ts';
import { guardSecrets } from './guard-secrets.ts';
import type { Io } from './io.ts';
import type { Settings } from './settings.ts';

export interface OpenedTransport {
  readonly transport: Transport;
  /** The name of the context it leads to. */
  readonly context: string;
  close(): void;
}

/** The way to the cluster that options and environment mean. Nothing is contacted yet. */
export async function openTransport(
  { env, home }: Pick<Io, 'env' | 'home'>,
  { raw, kubeconfigData }: Pick<Settings, 'raw' | 'kubeconfigData'>,
): Promise<OpenedTransport> {
  const { KUBECONFIG: variable, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  const connection = await connect({
    ...(kubeconfigData === undefined ? {} : { data: kubeconfigData }),
    ...(raw.kubeconfig === undefined ? {} : { path: raw.kubeconfig }),
    ...(variable === undefined ? {} : { variable }),
    ...(host === undefined || host === '' ? {} : { pod: `${host.includes(':') ? `[${host}]` : host}:${port}` }),
    ...(home === undefined ? {} : { home }),
    ...(raw.context === undefined ? {} : { context: raw.context }),
  });
  const guarded = guardSecrets(connection);
  const transport = httpsTransport(guarded.connection);
  return { transport: guarded.guard(transport), context: connection.context, close: transport.close };
}
