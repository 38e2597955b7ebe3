/** What a path and method mean, decided without knowing which resources exist (authorisation comes before that). */
export interface RequestInfo {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Absent: not a path of a resource. */
  readonly resource?: ResourcePath;
  /** Kubernetes' verb: get, list, watch, create, update, patch, delete, deletecollection; for other paths the method in lower case. */
  readonly verb: string;
}

export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  /** What follows `…/proxy/`. */
  readonly rest?: string;
}

export function requestInfo(method: string, pathWithQuery: string): RequestInfo {
  const mark = pathWithQuery.indexOf('?');
  const path = mark < 0 ? pathWithQuery : pathWithQuery.slice(0, mark);
  const query = mark < 0 ? noQuery : new URLSearchParams(pathWithQuery.slice(mark + 1));
  const resource = resourcePath(path);
  const verb = resource === undefined ? method.toLowerCase() : verbOf(method, resource, query);
  return { path, query, verb, ...(resource === undefined ? {} : { resource }) };
}

/** `?x`, `?x=true` and `?x=1` are all true. */
export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== 'false' && value !== '0';
}

const noQuery = new URLSearchParams();

function resourcePath(path: string): ResourcePath | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts[0] === 'api' && parts.length >= 3) return below('', parts[1] as string, parts.slice(2));
  if (parts[0] === 'apis' && parts.length >= 4) return below(parts[1] as string, parts[2] as string, parts.slice(3));
  return undefined;
}

function below(group: string, version: string, encoded: readonly string[]): ResourcePath {
  const parts = encoded.map(decode);
  const [first = '', namespace, plural, name, subresource, ...rest] = parts;
  if (first === 'namespaces' && namespace !== undefined && plural !== undefined && !isPartOfNamespace(parts)) {
    return place({ group, version, plural, namespace, name, subresource, rest });
  }
  const [, clusterName, clusterSubresource, ...clusterRest] = parts;
  return place({
    group,
    version,
    plural: first,
    // A namespace is in itself for authorisation, so that a Role can grant `get` on its own namespace.
    namespace: group === '' && first === 'namespaces' ? clusterName : undefined,
    name: clusterName,
    subresource: clusterSubresource,
    rest: clusterRest,
  });
}

/** `namespaces/x/status` is about the namespace, not about something in it. */
function isPartOfNamespace(parts: readonly string[]): boolean {
  return parts.length === 3 && (parts[2] === 'status' || parts[2] === 'finalize');
}

interface LoosePath {
  group: string;
  version: string;
  plural: string;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
  rest: readonly string[];
}

function place({ group, version, plural, namespace, name, subresource, rest }: LoosePath): ResourcePath {
  return {
    group,
    version,
    plural,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(rest.length === 0 ? {} : { rest: rest.join('/') }),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A stray percent sign names nothing that exists; the lookup answers 404.
    return part;
  }
}

function verbOf(method: string, resource: ResourcePath, query: URLSearchParams): string {
  const named = resource.name !== undefined;
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (named) return 'get';
      return flag(query, 'watch') ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
    default:
      return method.toLowerCase();
  }
}
