import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { nearestName } from '../../core/platform/nearest-name.ts';
import { type Connection, ConnectionError } from './connection.ts';
import { pluginCredentials, readCredentials } from './credentials.ts';
import { type Kubeconfig, parseKubeconfig, type Selected } from './parse-kubeconfig.ts';

/** Where to look, the first that is given wins: data, path, variable, the pod we run in, home. */
export interface KubeconfigSource {
  /** A kubeconfig in base64; it stays in memory. */
  readonly data?: string;
  readonly path?: string;
  /** The value of KUBECONFIG: one path, or several. */
  readonly variable?: string;
  /** The API server's address as Kubernetes tells its pods: `host:port`. */
  readonly pod?: string;
  /** The home directory, for `.kube/config`. */
  readonly home?: string;
  /** Instead of the current context. */
  readonly context?: string;
}

/** Finds the cluster and the user that a kubeconfig means; nothing is contacted yet. */
export async function connect(source: KubeconfigSource): Promise<Connection> {
  const config = await load(source);
  const selected = select(config, source.context);
  const { server } = selected.cluster;
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    throw new ConnectionError(
      `${config.origin} gives cluster "${selected.context.cluster}" a server that is not an http or https address`,
      'Correct clusters[].cluster.server.',
    );
  const { user, cluster } = selected;
  const usesPlugin =
    user.exec !== undefined || user['auth-provider'] !== undefined || cluster['proxy-url'] !== undefined;
  return {
    server,
    context: selected.name,
    ...(selected.context.namespace && { namespace: selected.context.namespace }),
    renews: usesPlugin || user.tokenFile !== undefined,
    credentials: () => (usesPlugin ? pluginCredentials(selected) : readCredentials(selected)),
  };
}

/** The chosen context alone, as the text of a kubeconfig for programs that read one. It holds keys: for its owner's eyes only. */
export async function contextAlone(source: KubeconfigSource): Promise<string> {
  const { name, context, cluster, user } = select(await load(source), source.context);
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster }],
    users: [{ name: 'user', user }],
    contexts: [{ name, context: { ...context, cluster: 'cluster', user: 'user' } }],
    'current-context': name,
  });
}

async function load({ data, path, variable, pod, home }: KubeconfigSource): Promise<Kubeconfig> {
  if (data) return parseKubeconfig(decode(data), { origin: 'KUBECONFIG_DATA' });
  if (path) return loadFile(path);
  const paths = variable?.split(delimiter).filter((one) => one !== '') ?? [];
  if (paths.length > 0) return loadAll(paths);
  if (pod) return ofPod(pod);
  if (home) return loadFile(join(home, '.kube', 'config'));
  throw new ConnectionError('there is no kubeconfig', howToGive);
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** What every pod has: the API server's address, its authority, and a token that is renewed in its file. */
function ofPod(address: string): Kubeconfig {
  const name = 'in-cluster';
  const cluster = { server: `https://${address}`, 'certificate-authority': 'ca.crt' };
  const config = {
    clusters: [{ name, cluster }],
    users: [{ name, user: { tokenFile: 'token' } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  const origin = 'the ServiceAccount of this pod';
  return parseKubeconfig(JSON.stringify(config), { origin, directory: serviceAccount });
}

const howToGive = 'Pass --kubeconfig <file>, or set KUBECONFIG, or try the embedded cluster with --sandbox.';

function decode(data: string): string {
  const packed = data.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(packed) || packed.length % 4 === 1)
    throw new ConnectionError('KUBECONFIG_DATA is not base64', 'Encode the whole file: base64 < kubeconfig');
  return Buffer.from(packed, 'base64').toString('utf8');
}

async function loadFile(path: string): Promise<Kubeconfig> {
  return parseKubeconfig(await read(path), { origin: `the kubeconfig ${path}`, directory: dirname(path) });
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') throw new ConnectionError(`there is no kubeconfig at ${path}`, howToGive, { cause });
    throw new ConnectionError(`the kubeconfig ${path} cannot be read (${String(code)})`, howToGive, { cause });
  }
}

/** Several files as kubectl joins them: the first to name something wins. */
async function loadAll(paths: readonly string[]): Promise<Kubeconfig> {
  const all = await Promise.all(paths.map(loadFile));
  const current = all.find((one) => one['current-context'])?.['current-context'];
  return {
    origin: all.map((one) => one.origin).join(', '),
    clusters: all.flatMap((one) => one.clusters),
    users: all.flatMap((one) => one.users),
    contexts: all.flatMap((one) => one.contexts),
    ...(current && { 'current-context': current }),
  };
}

function select(config: Kubeconfig, wanted: string | undefined): Selected {
  const names = config.contexts.map((one) => one.name);
  const name = wanted || config['current-context'];
  if (!name)
    throw new ConnectionError(`${config.origin} has no current context`, `Pass --context: ${knownNames(names)}.`);
  const entry = config.contexts.find((one) => one.name === name);
  if (entry === undefined)
    throw new ConnectionError(`${config.origin} has no context "${name}"`, didYouMean(name, names));
  const { context } = entry;
  const cluster = config.clusters.find((one) => one.name === context.cluster)?.cluster;
  if (cluster === undefined)
    throw new ConnectionError(
      `context "${name}" of ${config.origin} names the cluster "${context.cluster}", which is not there`,
      `Clusters: ${knownNames(config.clusters.map((one) => one.name))}.`,
    );
  const user = config.users.find((one) => one.name === context.user)?.user;
  if (user === undefined && context.user)
    throw new ConnectionError(
      `context "${name}" of ${config.origin} names the user "${context.user}", which is not there`,
      `Users: ${knownNames(config.users.map((one) => one.name))}.`,
    );
  return { origin: config.origin, name, context, cluster, user: user ?? {} };
}

function didYouMean(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return `${nearest === undefined ? '' : `Did you mean "${nearest}"? `}Contexts: ${knownNames(names)}.`;
}

function knownNames(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  return names.slice(0, 10).join(', ') + (names.length > 10 ? ` and ${names.length - 10} more` : '');
}
