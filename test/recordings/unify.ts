/** What a replay learns while it compares: the names that the recording and the sandbox give to the same thing. */
export interface Bindings {
  readonly versions: Map<string, string>;
  readonly names: Map<string, string>;
}

export function newBindings(): Bindings {
  return { versions: new Map(), names: new Map() };
}

/** Where the recorded and the actual value differ; undefined when they are the same but for names, times and versions. */
export function difference(expected: unknown, actual: unknown, bindings: Bindings, path = ''): string | undefined {
  if (typeof expected === 'string') return textDifference(expected, actual, bindings, path);
  if (Array.isArray(expected)) return listDifference(expected, actual, bindings, path);
  if (typeof expected === 'object' && expected !== null) {
    return fieldsDifference(expected as Fields, actual, bindings, path);
  }
  return expected === actual ? undefined : `${path}: expected ${show(expected)}, got ${show(actual)}`;
}

/** A recorded text as it is called in the sandbox. */
export function translate(text: string, bindings: Bindings): string {
  return text
    .replace(/<uid-\d+>/g, (uid) => bindings.names.get(uid) ?? uid)
    .replace(/gen-[a-z0-9]{5}/g, (name) => bindings.names.get(name) ?? name)
    .replace(/<time>/g, '2026-01-05T03:00:00Z')
    .replace(/\b\d{5}\b/g, (version) => bindings.versions.get(version) ?? version);
}

type Fields = Readonly<Record<string, unknown>>;

const show = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? 'nothing';

function textDifference(expected: string, actual: unknown, bindings: Bindings, path: string): string | undefined {
  if (typeof actual !== 'string') return `${path}: expected ${show(expected)}, got ${show(actual)}`;
  const field = path.slice(path.lastIndexOf('.') + 1);
  if (field === 'description') return undefined;
  if (field === 'resourceVersion') return bound(bindings.versions, expected, actual, path);
  if (/^<uid-\d+>$/.test(expected) || /^gen-[a-z0-9]{5}$/.test(expected)) {
    return bound(bindings.names, expected, actual, path);
  }
  if (field === 'continue' && expected !== '') {
    return difference(decoded(expected), decoded(actual), bindings, `${path}.token`);
  }
  const wanted = comparable(translate(expected, bindings));
  return pattern(wanted).test(comparable(actual)) ? undefined : `${path}: expected ${wanted}\n got ${actual}`;
}

function bound(map: Map<string, string>, expected: string, actual: string, path: string): string | undefined {
  const known = map.get(expected);
  if (known === undefined) {
    map.set(expected, actual);
    return undefined;
  }
  return known === actual ? undefined : `${path}: ${expected} was ${known} before and is ${actual} now`;
}

/** Numbers that nobody can foretell: how far a cache reaches, what is current, how old something is. */
function comparable(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<when>')
    .replace(/(too old resource version: \d+ )\(\d+\)/, '$1(#)')
    .replace(/current: \d+/, 'current: #')
    .replace(/^\d+[smhd]$/, '<age>');
}

function pattern(wanted: string): RegExp {
  const literal = wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/<(token|hash|random|microtime)>/g, '[^"]+')}$`);
}

function decoded(token: string): unknown {
  const { rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString()) as { rv: number; start: string };
  return rv < 0 ? { rv, start } : { resourceVersion: String(rv), start };
}

function listDifference(
  expected: readonly unknown[],
  actual: unknown,
  bindings: Bindings,
  path: string,
): string | undefined {
  if (!Array.isArray(actual)) return `${path}: expected a list, got ${show(actual)}`;
  if (actual.length !== expected.length) {
    return `${path}: expected ${expected.length} entries, got ${actual.length}: ${show(actual)}`;
  }
  for (const [index, item] of expected.entries()) {
    const found = difference(item, actual[index], bindings, `${path}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fieldsDifference(expected: Fields, actual: unknown, bindings: Bindings, path: string): string | undefined {
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) {
    return `${path}: expected ${show(expected)}, got ${show(actual)}`;
  }
  const seen = shortened(expected, actual as Fields);
  for (const field of new Set([...Object.keys(expected), ...Object.keys(seen)])) {
    if (field === '_truncated' || isLeftOut(expected, field, path)) continue;
    const found = difference(expected[field], seen[field], bindings, `${path}.${field}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The recording leaves out most managedFields, and all but the names of the items of some lists. */
function isLeftOut(expected: Fields, field: string, path: string): boolean {
  if (field in expected) return false;
  if (field === 'managedFields') return true;
  const inItem = /\.items\[\d+\](\.metadata)?$/.test(path);
  if (!inItem) return false;
  const metadata = (path.endsWith('.metadata') ? expected : expected['metadata']) as Fields | undefined;
  return metadata?.['uid'] === undefined || metadata['resourceVersion'] === undefined || field === 'data';
}

/** Where the recording was cut, only what it kept is compared. */
function shortened(expected: Fields, actual: Fields): Fields {
  if (expected['_truncated'] === undefined) return actual;
  return Object.fromEntries(
    Object.entries(actual).map(([field, value]) => {
      const kept = expected[field];
      return [field, Array.isArray(value) && Array.isArray(kept) ? value.slice(0, kept.length) : value];
    }),
  );
}
