import type * as z from 'zod';
import type { Problems } from './collect-problems.ts';
import { describeIssue } from './describe-issue.ts';
import type { Path, YamlSource } from './yaml-source.ts';

const CUTS_AT_MOST = 8;

/**
 * Reports everything in which the file differs from its schema, then cuts that out and gives what is left,
 * so that a slip in one app does not hide an unknown name in another.
 */
export function checkSchema<Whole, Rest>(
  source: YamlSource,
  schemas: { whole: z.ZodType<Whole>; partial: z.ZodType<Rest> },
  problems: Problems,
): Rest | undefined {
  const whole = schemas.whole.safeParse(source.value);
  for (const issue of whole.error?.issues ?? []) {
    for (const found of describeIssue(issue, schemas.whole, source.value)) {
      const at = found.isKey ? source.atKey(found.path) : source.at(found.path);
      problems.error(at, found.what, found.remedy);
    }
  }
  for (let round = 0; round < CUTS_AT_MOST; round++) {
    const rest = schemas.partial.safeParse(source.value);
    if (rest.success) return rest.data;
    for (const issue of rest.error.issues) {
      const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
      for (const key of issue.code === 'unrecognized_keys' ? issue.keys : [path.at(-1) ?? '']) {
        cutOut(source.value, [...path.slice(0, -1), key]);
      }
    }
  }
  return undefined;
}

/** Removes the deepest key of an object on this path that is there. List items stay: without them the others' places would be wrong. */
function cutOut(value: unknown, path: Path): void {
  let deepest: { from: Record<PropertyKey, unknown>; key: PropertyKey } | undefined;
  let at = value;
  for (const key of path) {
    if (!isObject(at) || !Object.hasOwn(at, key)) break;
    if (!Array.isArray(at)) deepest = { from: at, key };
    at = at[key];
  }
  if (deepest !== undefined) delete deepest.from[deepest.key];
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
