import type { createCollection } from './collection.ts';

export const collectionPath = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications';

export interface JsonAnswer {
  readonly status: number;
  readonly json: unknown;
}

/** How an API server answers for a collection: pages, conflicts, and what is not there. */
export function collectionAnswers(collection: ReturnType<typeof createCollection>) {
  const continues = new Map<string, { rest: unknown[]; version: number }>();

  function list(url: URL): JsonAnswer {
    const limit = Number(url.searchParams.get('limit') ?? 500);
    const token = url.searchParams.get('continue');
    const page = token ? continues.get(token) : { rest: [...collection.items.values()], version: collection.version };
    if (page === undefined || !collection.remembers(page.version)) return failed(410, 'Expired');
    const next = page.rest.length > limit ? `t${continues.size}` : '';
    if (next) continues.set(next, { rest: page.rest.slice(limit), version: page.version });
    const metadata = { resourceVersion: String(page.version), continue: next };
    return { status: 200, json: { kind: 'ApplicationList', metadata, items: page.rest.slice(0, limit) } };
  }

  function create(sent: Sent): JsonAnswer {
    const wanted = sent.metadata?.name ?? `generated-${collection.version}`;
    if (collection.items.has(wanted)) return failed(409, 'AlreadyExists');
    return { status: 201, json: collection.put(wanted, sent.value) };
  }

  function single(method: string | undefined, url: URL, body: string): JsonAnswer {
    const name = url.pathname.slice(collectionPath.length + 1);
    const sent: Sent = body === '' ? {} : JSON.parse(body);
    if (method === 'POST') return create(sent);
    const item = collection.items.get(name);
    if (item === undefined) return failed(404, 'NotFound');
    if (method === 'GET') return { status: 200, json: item };
    if ((expectedBy(sent) ?? item.metadata.resourceVersion) !== item.metadata.resourceVersion)
      return failed(409, 'Conflict');
    return { status: 200, json: method === 'DELETE' ? collection.remove(name) : collection.put(name, sent.value) };
  }

  return { list, single };
}

/** A Status as the server words it. */
export function failure(code: number, reason: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: `${reason}, says the server`, reason, code };
}

interface Sent {
  readonly metadata?: { readonly name?: string; readonly resourceVersion?: string };
  readonly preconditions?: { readonly resourceVersion?: string };
  readonly value?: string;
}

function expectedBy({ metadata, preconditions }: Sent): string | undefined {
  return metadata?.resourceVersion ?? preconditions?.resourceVersion;
}

function failed(status: number, reason: string): JsonAnswer {
  return { status, json: failure(status, reason) };
}
