/** What a `{{name}}` stands for; undefined leaves it as it is. */
export type Lookup = (name: string) => string | undefined;

/** The value with every known `{{name}}` filled in; what holds none is the same value. */
export function substitute<T>(value: T, lookup: Lookup): T {
  // Only texts change, so the shape stays.
  return substituted(value, lookup) as T;
}

function substituted(value: unknown, lookup: Lookup): unknown {
  if (typeof value === 'string') return value.includes('{{') ? filled(value, lookup) : value;
  if (Array.isArray(value)) {
    const next = value.map((item) => substituted(item, lookup));
    return next.every((item, index) => item === value[index]) ? value : next;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const next = entries.map(([key, item]) => [key, substituted(item, lookup)] as const);
  return next.every(([, item], index) => item === entries[index]?.[1]) ? value : Object.fromEntries(next);
}

function filled(text: string, lookup: Lookup): string {
  return text.replaceAll(/\{\{\s*([^{}]+?)\s*\}\}/g, (whole, name: string) => lookup(name) ?? whole);
}

/** The first `{{name}}` left in the value whose name begins so. */
export function leftOver(value: unknown, prefixes: readonly string[]): string | undefined {
  let found: string | undefined;
  substitute(value, (name) => {
    if (prefixes.some((prefix) => name.startsWith(prefix))) found ??= name;
    return undefined;
  });
  return found;
}
