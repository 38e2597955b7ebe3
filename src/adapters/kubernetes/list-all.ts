import { ApiError, UnreachableError } from './errors.ts';
import type { Outgoing } from './exchange.ts';
import { withQuery } from './with-query.ts';

export interface Selection {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
}

/** Reads a list page by page; when the server has forgotten the first page's state on the way, once more from the start. */
export async function listAll<T>(
  path: string,
  selection: Selection,
  ask: (outgoing: Outgoing) => Promise<unknown>,
): Promise<{ items: T[]; resourceVersion: string }> {
  try {
    return await readPages<T>(path, selection, ask);
  } catch (error) {
    // The token in the 410 would let the list go on, but with a mixture of two states.
    if (error instanceof ApiError && error.status === 410) return await readPages<T>(path, selection, ask);
    throw error;
  }
}

interface Page<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly T[];
}

async function readPages<T>(
  path: string,
  { labelSelector, fieldSelector, limit = 500 }: Selection,
  ask: (outgoing: Outgoing) => Promise<unknown>,
): Promise<{ items: T[]; resourceVersion: string }> {
  const items: T[] = [];
  let next: string | undefined;
  for (;;) {
    const query = { limit, labelSelector, fieldSelector, continue: next };
    const page = pageOf<T>(path, await ask({ method: 'GET', path: withQuery(path, query) }));
    for (const item of page.items) items.push(item);
    next = page.metadata.continue || undefined;
    if (next === undefined) return { items, resourceVersion: page.metadata.resourceVersion };
  }
}

/** Something between us and the server may answer 200 with a page of its own; as an empty list it would look as if everything were gone. */
function pageOf<T>(path: string, answer: unknown): Page<T> {
  // The caller names the type of the items; the shape around them is checked here.
  const page = answer as Partial<Page<T>> | null;
  const { metadata, items } = page ?? {};
  if (typeof metadata?.resourceVersion !== 'string' || (items && !Array.isArray(items)))
    throw new UnreachableError(`the answer to GET ${path} is not a list`, { cause: undefined });
  return { metadata, items: items ?? [] };
}
