import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { ConnectionError, type Credentials, type TlsOptions } from './connection.ts';
import type { Selected } from './parse-kubeconfig.ts';

/** Credentials that stand in the kubeconfig or in files it names. */
export async function readCredentials(selected: Selected): Promise<Credentials> {
  const { cluster, user, origin } = selected;
  const ca = await bytes(cluster['certificate-authority-data'], cluster['certificate-authority'], origin);
  const cert = await bytes(user['client-certificate-data'], user['client-certificate'], origin);
  const key = await bytes(user['client-key-data'], user['client-key'], origin);
  const tls: TlsOptions = {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(cluster['tls-server-name'] && { servername: cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] && { rejectUnauthorized: false }),
  };
  return { headers: { ...(await authorization(selected)), ...impersonation(selected) }, tls };
}

/** Credentials of a plugin (exec, OIDC …) or the way through a proxy, by the client library: it takes half a second to load, so only then. */
export async function pluginCredentials(selected: Selected): Promise<Credentials> {
  const options = await optionsOfLibrary(selected);
  const { ca, cert, key, servername, rejectUnauthorized, agent, auth } = options;
  const tls: TlsOptions = {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(servername && { servername }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
  };
  const headers = { ...headersOf(options), ...(auth && basic(auth)), ...impersonation(selected) };
  const throughProxy = selected.cluster['proxy-url'] !== undefined && typeof agent === 'object';
  return { headers, tls, ...(throughProxy && { agent }) };
}

async function optionsOfLibrary(selected: Selected): Promise<RequestOptions> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  // A new one each time: the library would hand out the token that the server has just refused.
  const config = new KubeConfig();
  const options: RequestOptions = {};
  try {
    config.loadFromString(JSON.stringify(onlyThis(selected)));
    await config.applyToHTTPSOptions(options);
    return options;
  } catch {
    // Not even as cause: what a plugin prints when it fails may contain a token.
    throw new ConnectionError(
      `the credential plugin of context "${selected.name}" failed`,
      `Try: kubectl --context ${selected.name} version`,
    );
  }
}

async function bytes(data: string | undefined, file: string | undefined, origin: string): Promise<Buffer | undefined> {
  // kubectl prefers the data as well.
  if (data !== undefined) return Buffer.from(data, 'base64');
  return file === undefined ? undefined : readNamed(file, origin);
}

async function readNamed(file: string, origin: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new ConnectionError(`${origin} names the file ${file}, which cannot be read (${code})`, 'Restore that file.');
  }
}

async function authorization({ user, origin }: Selected): Promise<Record<string, string>> {
  const token = user.tokenFile ? (await readNamed(user.tokenFile, origin)).toString('utf8') : user.token;
  if (token !== undefined) return { authorization: `Bearer ${token.trim()}` };
  return user.username === undefined ? {} : basic(`${user.username}:${user.password ?? ''}`);
}

function basic(pair: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function impersonation({ user }: Selected): Record<string, string | string[]> {
  const groups = user['as-groups'] ?? [];
  return { ...(user.as && { 'impersonate-user': user.as }), ...(groups.length > 0 && { 'impersonate-group': groups }) };
}

function headersOf({ headers = {} }: RequestOptions): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return Object.fromEntries(pairs);
}

function onlyThis({ context, cluster, user }: Selected): object {
  // The library refuses plain HTTP unless certificates are not to be checked; there are none.
  const plain = cluster.server.startsWith('http:') && { 'insecure-skip-tls-verify': true };
  return {
    clusters: [{ name: 'cluster', cluster: { ...cluster, ...plain } }],
    users: [{ name: 'user', user: { ...user, ...(user.tokenFile && { 'token-file': user.tokenFile }) } }],
    contexts: [{ name: 'context', context: { ...context, cluster: 'cluster', user: 'user' } }],
    'current-context': 'context',
  };
}
