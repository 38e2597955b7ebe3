import { httpsTransport } from '../adapters/kubernetes/https-transport.ts';
import { connect, type KubeconfigSource } from '../adapters/kubernetes/kubeconfig.ts';
import type { Transport } from '../adapters/kubernetes/transport.ts';
import { guardSecrets } from './guard-secrets.ts';
import type { Io } from './io.ts';
import type { Settings } from './settings.ts';

export interface OpenedTransport {
  readonly transport: Transport;
  /** The name of the context it leads to. */
  readonly context: string;
  /** The API server's address. */
  readonly server: string;
  close(): void;
}

/** The way to the cluster that options and environment mean. Nothing is contacted yet. */
export async function openTransport(
  io: Pick<Io, 'env' | 'home'>,
  settings: Pick<Settings, 'raw' | 'kubeconfigData'>,
): Promise<OpenedTransport> {
  const connection = await connect(kubeconfigSource(io, settings));
  const guarded = guardSecrets(connection);
  const transport = httpsTransport(guarded.connection);
  return {
    transport: guarded.guard(transport),
    context: connection.context,
    server: connection.server,
    close: transport.close,
  };
}

/** Where the kubeconfig is that options and environment mean. */
export function kubeconfigSource(
  { env, home }: Pick<Io, 'env' | 'home'>,
  { raw, kubeconfigData }: Pick<Settings, 'raw' | 'kubeconfigData'>,
): KubeconfigSource {
  const { KUBECONFIG: variable, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  return {
    ...(kubeconfigData === undefined ? {} : { data: kubeconfigData }),
    ...(raw.kubeconfig === undefined ? {} : { path: raw.kubeconfig }),
    ...(variable === undefined ? {} : { variable }),
    ...(host === undefined || host === '' ? {} : { pod: `${host.includes(':') ? `[${host}]` : host}:${port}` }),
    ...(home === undefined ? {} : { home }),
    ...(raw.context === undefined ? {} : { context: raw.context }),
  };
}
