import { apiVersionOf, type KubeObject } from '../store/objects.ts';
import { type Answer, json } from './answer.ts';
import { decodeContinue, encodeContinue, expiredContinue } from './continue-token.ts';
import { itemJson, toYaml } from './encode.ts';
import { negotiate, type Representation } from './negotiate.ts';
import { type Match, selectorOf } from './selectors.ts';
import { type Call, namespaceOf } from './server.ts';
import { snapshot } from './snapshot.ts';
import { badRequest, failure, invalidOptions, StatusError } from './status.ts';
import { metadataOnly, table } from './table.ts';

/** A page of the objects that match, at one revision. */
export async function list(call: Call): Promise<Answer> {
  const representation = negotiate(call.request.headers['accept']);
  const found = await page(call);
  return render(call, representation, found);
}

export interface Page {
  readonly items: readonly KubeObject[];
  readonly metadata: ListMetadata;
}

interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

async function page(call: Call): Promise<Page> {
  const { query } = call.info;
  const version = query.get('resourceVersion') ?? '';
  checkVersion(query, version);
  const selector = selectorOf(call.type, query);
  const token = query.get('continue') ?? '';
  if (token !== '') return continued(call, token, selector);
  const { store } = call.server;
  const requested = Number(version);
  if (requested > store.revision) await refuseFuture(call, version);
  const exact = query.get('resourceVersionMatch') === 'Exact';
  const revision = exact ? requested : store.revision;
  const objects = snapshot(store, call.type, namespaceOf(call), revision);
  if (objects === undefined) throw failure(410, 'Expired', 'The resourceVersion for the provided list is too old.');
  // The cache serves version 0, and the cache does not page.
  const limit = version === '0' ? 0 : Number(query.get('limit') ?? 0);
  return cut(call, objects, { revision, limit, selector, start: '' });
}

function continued(call: Call, token: string, selector: Match | undefined): Page {
  const { query } = call.info;
  const version = query.get('resourceVersion') ?? '';
  if (version !== '' && version !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const { revision: asked, start } = decodeContinue(token);
  const { store } = call.server;
  const revision = asked < 0 ? store.revision : asked;
  const objects = snapshot(store, call.type, namespaceOf(call), revision);
  if (objects === undefined) throw expiredContinue(start);
  return cut(call, objects, { revision, limit: Number(query.get('limit') ?? 0), selector, start });
}

interface Cut {
  readonly revision: number;
  readonly limit: number;
  readonly selector: Match | undefined;
  readonly start: string;
}

function cut(call: Call, objects: readonly KubeObject[], { revision, limit, selector, start }: Cut): Page {
  const namespaced = namespaceOf(call) !== undefined || !call.type.namespaced;
  const keyOf = ({ metadata }: KubeObject): string =>
    namespaced ? metadata.name : `${metadata.namespace ?? ''}/${metadata.name}`;
  const matching = selector === undefined ? objects : objects.filter(selector);
  const rest = start === '' ? matching : matching.filter((object) => keyOf(object) > start);
  const items = limit > 0 ? rest.slice(0, limit) : rest;
  const last = items.at(-1);
  const resourceVersion = String(revision);
  if (items.length === rest.length || last === undefined) return { items, metadata: { resourceVersion } };
  return {
    items,
    metadata: {
      resourceVersion,
      continue: encodeContinue(revision, `/${keyOf(last)}`),
      ...(selector === undefined ? { remainingItemCount: rest.length - items.length } : {}),
    },
  };
}

function checkVersion(query: URLSearchParams, version: string): void {
  if (version !== '' && !/^\d+$/.test(version)) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`,
    );
  }
  const match = query.get('resourceVersionMatch');
  if (match === null) return;
  if (version === '') throw badMatch('resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (match === 'Exact' && version === '0') {
    throw badMatch('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
}

const badMatch = (why: string) =>
  invalidOptions('ListOptions', {
    reason: 'FieldValueForbidden',
    message: `Forbidden: ${why}`,
    field: 'resourceVersionMatch',
  });

async function refuseFuture(call: Call, version: string): Promise<never> {
  await call.server.time.sleep(3_000, call.request.signal);
  const { status } = failure(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${version}, current: ${call.server.store.revision}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  );
  throw new StatusError(status, 1);
}

/** Writes a page as the client asked; also what deletecollection answers. */
export function render(call: Call, representation: Representation, { items, metadata }: Page): Answer {
  if (representation.as === 'table') return json(200, table(call, items, metadata));
  if (representation.as === 'metadata') {
    return json(200, {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      items: items.map(metadataOnly),
    });
  }
  const listMetadata = JSON.stringify(call.type.custom ? { continue: '', ...metadata } : metadata);
  const head = `{"kind":"${call.type.kind}List","apiVersion":"${apiVersionOf(call.type)}","metadata":${listMetadata}`;
  const body = `${head},"items":[${items.map((object) => itemJson(call.type, object)).join(',')}]}`;
  if (representation.format === 'json') return json(200, body);
  return { status: 200, headers: { 'content-type': 'application/yaml' }, body: toYaml(JSON.parse(body)) };
}
