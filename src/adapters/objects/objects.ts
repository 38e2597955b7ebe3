import * as z from 'zod';
import { inParallel } from '../../engine/in-parallel.ts';
import { OperatorError } from '../../engine/operator-error.ts';
import type { LiveObject, ObjectReference, Objects } from '../../engine/ports.ts';
import { asOperatorError } from '../kubernetes/as-operator-error.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import type { Discovery, Resource } from '../kubernetes/discovery.ts';
import { ApiError, TimeoutError, UnreachableError } from '../kubernetes/errors.ts';
import { proxyPath } from './proxy-path.ts';

/** Live objects of any kind, found through discovery. */
export function createObjects(client: KubeClient, discovery: Discovery): Objects {
  async function pathOf(reference: ObjectReference, signal: AbortSignal): Promise<string | undefined> {
    const resource = await discovery.resourceFor(reference.group, reference.kind, signal);
    return resource?.path(reference.namespace, reference.name);
  }

  return {
    read: (reference, signal) =>
      asOperatorError(`read ${describe(reference)}`, async () => {
        const path = await pathOf(reference, signal);
        return path === undefined ? undefined : client.get<LiveObject>(path, signal);
      }),
    list: (kind, namespace, signal) =>
      asOperatorError(`list objects of kind ${kind.kind}`, async () => {
        const resource = await discovery.resourceFor(kind.group, kind.kind, signal);
        if (resource === undefined) return [];
        return listed(client, resource, namespace, signal);
      }),
    contents: (namespaces, signal) =>
      asOperatorError(`list what is in ${namespaces.join(', ')}`, async () =>
        contentsOf(client, (await discovery.allResources(signal)).resources, namespaces, signal),
      ),
    mergePatch: (reference, body, signal) =>
      asOperatorError(`change ${describe(reference)}`, async () => {
        const path = await pathOf(reference, signal);
        // What the engine sets it may set twice.
        if (path !== undefined) await client.mergePatch(path, body as object, signal, { repeatable: true });
      }),
    create: (reference, body, signal) =>
      asOperatorError(`create ${describe(reference)}`, async () => {
        const resource = await discovery.resourceFor(reference.group, reference.kind, signal);
        if (resource !== undefined) await client.create(resource.path(reference.namespace), body as object, signal);
      }),
    delete: (reference, signal) =>
      asOperatorError(`delete ${describe(reference)}`, async () => {
        const path = await pathOf(reference, signal);
        const live = path === undefined ? undefined : await client.get<LiveObject>(path, signal);
        if (path === undefined || live === undefined) return;
        const { uid } = live.metadata;
        // By uid, so that a repeated request can never meet a successor of the same name.
        await client.delete(
          path,
          { propagationPolicy: 'Background', ...(uid === undefined ? {} : { preconditions: { uid } }) },
          signal,
        );
      }),
    async probe(url, signal) {
      const path = proxyPath(url);
      if (path === undefined) return { error: `${url} is not of the form http://service.namespace.svc:port/path` };
      const ask = (): Promise<Answer> =>
        asOperatorError(`probe ${url}`, () => allowed(path, client.raw('GET', path, signal, probing)));
      const answer = await askService(ask).catch(silence);
      if ('error' in answer) return answer;
      if (isApiServers(answer))
        return {
          error: answer.status === 503 ? 'nothing answers there yet' : `the API server answered ${answer.status}`,
        };
      return { status: answer.status };
    },
  };
}

/** A service that takes a connection and says nothing is one that is not ready: whoever waits for it asks again. */
const probing = { requestTimeoutMs: 5_000, retryForMs: 5_000 };

function silence(error: unknown): { readonly error: string } {
  if (!(error instanceof OperatorError && error.cause instanceof UnreachableError)) throw error;
  const isSilent = error.cause.cause instanceof TimeoutError;
  return {
    error: isSilent ? `no answer within ${probing.requestTimeoutMs / 1000} s` : 'the API server is not reached',
  };
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A right that is missing will not come by waiting: it is said at once. */
async function allowed(path: string, asking: Promise<Answer>): Promise<Answer> {
  const answer = await asking;
  const { status, body } = answer;
  if (!isApiServers(answer) || (status !== 401 && status !== 403)) return answer;
  throw new ApiError({ message: messageOf(body), status, method: 'GET', path });
}

function messageOf(body: string): string {
  try {
    return z.object({ message: z.string() }).parse(JSON.parse(body)).message;
  } catch {
    // Not quoted: a body that is no Status may hold anything.
    return 'the API server refused it';
  }
}

/** A stumble of the API server is not the service's answer: ask again before believing it. */
async function askService(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  for (let again = 0; again < 4 && isApiServers(answer) && answer.status !== 503; again++) answer = await ask();
  return answer;
}

/** The proxy speaks for itself in Status objects. */
function isApiServers({ status, body }: Answer): boolean {
  return status >= 400 && /"kind":\s*"Status"/.test(body);
}

/** One look at each kind, not one at each kind in each namespace: those are thousands. */
async function contentsOf(
  client: KubeClient,
  resources: readonly Resource[],
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly LiveObject[]>> {
  const found = new Map(namespaces.map((name): [string, LiveObject[]] => [name, []]));
  const where = namespaces.length === 1 ? namespaces[0] : undefined;
  await inParallel(resources, async (resource) => {
    if (!resource.namespaced) return;
    const all = await listed(client, resource, where, signal);
    for (const object of all) found.get(object.metadata.namespace ?? '')?.push(object);
  });
  return found;
}

/** The items of a list do not say what they are; only the list does. */
async function listed(
  client: KubeClient,
  { path, apiVersion, kind }: Resource,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly LiveObject[]> {
  const { items } = await client.list<LiveObject>(path(namespace), {}, signal);
  return items.map((item) => ({ ...item, apiVersion, kind }));
}

function describe({ kind, namespace, name }: ObjectReference): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
