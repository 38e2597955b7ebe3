import type * as z from 'zod';
import type { Problems } from './collect-problems.ts';
import { describeIssue } from './describe-issue.ts';
import type { Path, YamlSource } from './yaml-source.ts';

const CUTS_AT_MOST = 8;

/**
 * Reports everything in which the file differs from its schema, then cuts that out and gives what is left,
 * so that a slip in one app does not hide an unknown name in another.
 */
export function checkSchema<Rest, Whole extends Rest>(
  source: YamlSource,
  schemas: { whole: z.ZodType<Whole>; partial: z.ZodType<Rest> },
  problems: Problems,
): Rest | undefined {
  const whole = schemas.whole.safeParse(source.value);
  if (whole.success) return whole.data;
  for (const issue of whole.error.issues) {
    for (const found of describeIssue(issue, schemas.whole, source.value)) {
      const at = found.isKey ? source.atKey(found.path) : source.at(found.path);
      problems.error(at, found.what, found.remedy);
    }
  }
  for (let round = 0; round < CUTS_AT_MOST; round++) {
    const rest = schemas.partial.safeParse(source.value);
    if (rest.success) return rest.data;
    // All places first: once a key is gone, the next issue below it would take its parent away.
    const wrong = rest.error.issues.flatMap(pathsOf).map((path) => deepestKey(source.value, path));
    for (const place of wrong) if (place !== undefined) delete place.from[place.key];
  }
  return undefined;
}

function pathsOf(issue: z.core.$ZodIssue): Path[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
}

interface Place {
  readonly from: Record<PropertyKey, unknown>;
  readonly key: PropertyKey;
}

/** The deepest key of an object on this path that is there. List items stay: without them the others' places would be wrong. */
function deepestKey(value: unknown, path: Path): Place | undefined {
  let deepest: Place | undefined;
  let at = value;
  for (const key of path) {
    if (!isObject(at) || !Object.hasOwn(at, key)) break;
    if (!Array.isArray(at)) deepest = { from: at, key };
    at = at[key];
  }
  return deepest;
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
