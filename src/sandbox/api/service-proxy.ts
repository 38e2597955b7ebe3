import { type Answer, text } from './answer.ts';
import { type Call, namespaceOf } from './server.ts';
import { failure, notFound } from './status.ts';

/** `…/services/[scheme:]name[:port]/proxy/path`: an HTTP request through the API server to a Service. */
export function proxyToService(call: Call): Answer {
  const { server, type, path, info } = call;
  const namespace = namespaceOf(call) ?? '';
  const { service, port } = target(path.name ?? '');
  if (server.store.get(type, namespace, service) === undefined) throw notFound(type, service);
  const query = info.query.size === 0 ? '' : `?${info.query}`;
  const answer = server.serviceProxy?.(namespace, service, port, `/${path.rest ?? ''}${query}`);
  if (answer === undefined) {
    throw failure(503, 'ServiceUnavailable', `no endpoints available for service "${path.name}"`);
  }
  return text(answer.status, answer.body);
}

function target(name: string): { service: string; port: string } {
  const parts = name.split(':');
  if (parts.length === 3) return { service: parts[1] ?? '', port: parts[2] ?? '' };
  // `https:vault:` has a scheme and no port, `vault:8200` a port and no scheme.
  const isScheme = parts.length === 2 && (parts[0] === 'http' || parts[0] === 'https');
  return isScheme ? { service: parts[1] ?? '', port: '' } : { service: parts[0] ?? '', port: parts[1] ?? '' };
}
