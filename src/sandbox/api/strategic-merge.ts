import { childShape, elementKey, itemShape, listStyle, type Shape } from './field-shapes.ts';
import { isFields } from './merge-patch.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Kubernetes' own patch language for built-in kinds: lists with a merge key merge, `$patch` says otherwise. */
export function strategicMerge(target: unknown, patch: unknown): unknown {
  return mergeValue(target, patch, { field: '', custom: false });
}

function mergeValue(target: unknown, patch: unknown, shape: Shape): unknown {
  if (Array.isArray(patch)) return mergeList(Array.isArray(target) ? target : [], patch, shape);
  if (!isFields(patch)) return patch;
  if (patch['$patch'] === 'replace') return withoutDirectives(patch);
  const base = isFields(target) ? target : {};
  const merged: Record<string, unknown> = { ...base };
  for (const [field, value] of Object.entries(patch)) {
    if (field.startsWith('$') || field === '__proto__') continue;
    if (value === null) delete merged[field];
    else merged[field] = mergeValue(base[field], value, childShape(shape, field));
  }
  return removedFromLists(merged, patch);
}

function mergeList(target: readonly unknown[], patch: readonly unknown[], shape: Shape): unknown[] {
  const style = listStyle(shape, [...patch, ...target]);
  const changes = patch.filter((item) => !(isFields(item) && item['$patch'] === 'replace'));
  if (style === 'atomic' || changes.length < patch.length) return changes;
  if (style === 'set') return [...new Set([...patch, ...target])];
  const merged = new Map(target.map((item) => [elementKey(style, item), item]));
  for (const item of changes) {
    const key = elementKey(style, item);
    if (isFields(item) && item['$patch'] === 'delete') merged.delete(key);
    else merged.set(key, mergeValue(merged.get(key), item, itemShape(shape)));
  }
  return [...merged.values()];
}

/** `$deleteFromPrimitiveList/finalizers: [x]` takes x out of the list of that name. */
function removedFromLists(merged: Record<string, unknown>, patch: Fields): Record<string, unknown> {
  for (const [field, values] of Object.entries(patch)) {
    const name = /^\$deleteFromPrimitiveList\/(.+)$/.exec(field)?.[1];
    const list = name === undefined ? undefined : merged[name];
    if (name === undefined || !Array.isArray(list) || !Array.isArray(values)) continue;
    merged[name] = list.filter((item) => !values.includes(item));
  }
  return merged;
}

function withoutDirectives(patch: Fields): Fields {
  return Object.fromEntries(Object.entries(patch).filter(([field]) => !field.startsWith('$')));
}
