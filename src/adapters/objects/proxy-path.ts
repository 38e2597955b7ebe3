/**
 * An in-cluster URL as a path of the API server's service proxy, so that a probe works from wherever the API server can be
 * reached: `http://pg.data.svc:8008/health`. Undefined when it does not name a Service.
 */
export function proxyPath(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const match = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc(\.[a-z0-9.-]+)?$/.exec(hostname);
  if (match === null || (protocol !== 'http:' && protocol !== 'https:')) return undefined;
  const scheme = protocol.slice(0, -1);
  const portName = port === '' ? (scheme === 'https' ? '443' : '80') : port;
  return `/api/v1/namespaces/${match[2]}/services/${scheme}:${match[1]}:${portName}/proxy${pathname}${search}`;
}
