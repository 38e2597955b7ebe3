import { failure } from './status.ts';

/** How the client wants the answer. */
export interface Representation {
  readonly format: 'json' | 'yaml';
  readonly as: 'object' | 'table' | 'metadata';
}

/** Picks the first acceptable media type, as the server does; protobuf is never acceptable here. */
export function negotiate(accept: string | undefined): Representation {
  if (accept === undefined || accept === '' || accept === 'application/json') return plain;
  const known = cache.get(accept);
  if (known !== undefined) return known;
  const found = pick(accept);
  if (found === undefined) throw notAcceptable();
  if (cache.size < 100) cache.set(accept, found);
  return found;
}

const plain: Representation = { format: 'json', as: 'object' };
const cache = new Map<string, Representation>();

function pick(accept: string): Representation | undefined {
  for (const clause of accept.split(',')) {
    const [media = '', ...parameters] = clause.split(';').map((part) => part.trim());
    const format = formats.get(media);
    if (format === undefined) continue;
    const as = shape(new Map(parameters.map((parameter) => parameter.split('=', 2) as [string, string])));
    if (as !== undefined) return { format, as };
  }
  return undefined;
}

const formats: ReadonlyMap<string, 'json' | 'yaml'> = new Map([
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  ['application/*', 'json'],
  ['*/*', 'json'],
]);

function shape(parameters: ReadonlyMap<string, string>): Representation['as'] | undefined {
  const as = parameters.get('as');
  if (as === undefined) return 'object';
  if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') return undefined;
  if (as === 'Table') return 'table';
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? 'metadata' : undefined;
}

const notAcceptable = () =>
  failure(
    406,
    'NotAcceptable',
    '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    {},
  );
