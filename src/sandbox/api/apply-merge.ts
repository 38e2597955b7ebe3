import { type FieldSet, isEmpty } from './field-set.ts';
import { childShape, elementKey, isAtomicMap, itemShape, listStyle, type Shape } from './field-shapes.ts';
import { isFields } from './merge-patch.ts';

/** The live object with what is applied laid over it. */
export function applyMerge(live: unknown, applied: unknown, shape: Shape): unknown {
  if (isFields(live) && isFields(applied) && !isAtomicMap(shape)) {
    const merged: Record<string, unknown> = { ...live };
    for (const [field, value] of Object.entries(applied)) {
      merged[field] = applyMerge(live[field], value, childShape(shape, field));
    }
    return merged;
  }
  if (Array.isArray(live) && Array.isArray(applied)) {
    const style = listStyle(shape, applied);
    if (style !== 'atomic') return mergeElements(live, applied, shape);
  }
  return applied;
}

/** The object without the given fields. Containers that were only there for them go too. */
export function withoutFields(value: unknown, fields: FieldSet, shape: Shape): unknown {
  if (isFields(value)) {
    const left: Record<string, unknown> = {};
    for (const [field, item] of Object.entries(value)) {
      const rest = without(item, fields[`f:${field}`], childShape(shape, field));
      if (rest !== undefined) left[field] = rest;
    }
    return left;
  }
  if (!Array.isArray(value)) return value;
  const style = listStyle(shape, value);
  if (style === 'atomic') return value;
  return value.flatMap((item) => {
    const rest = without(item, fields[elementKey(style, item)], itemShape(shape));
    return rest === undefined ? [] : [rest];
  });
}

function without(item: unknown, fields: FieldSet | undefined, shape: Shape): unknown {
  if (fields === undefined) return item;
  if (isEmpty(fields) || '.' in fields) return undefined;
  const rest = withoutFields(item, fields, shape);
  const gone = isFields(rest) ? Object.keys(rest).length === 0 : Array.isArray(rest) && rest.length === 0;
  return gone ? undefined : rest;
}

function mergeElements(live: readonly unknown[], applied: readonly unknown[], shape: Shape): unknown[] {
  const style = listStyle(shape, applied);
  if (style === 'atomic') return [...applied];
  const merged = new Map(live.map((item) => [elementKey(style, item), item]));
  for (const item of applied) {
    const key = elementKey(style, item);
    merged.set(key, merged.has(key) ? applyMerge(merged.get(key), item, itemShape(shape)) : item);
  }
  return [...merged.values()];
}
