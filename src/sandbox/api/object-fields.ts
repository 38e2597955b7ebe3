import { sameJson } from '../store/store.ts';
import { type FieldSet, isEmpty, member } from './field-set.ts';
import {
  childShape,
  elementKey,
  isAtomicMap,
  isOwnedItself,
  itemShape,
  listStyle,
  type Shape,
} from './field-shapes.ts';
import { isFields } from './merge-patch.ts';

/** The fields that an apply claims: every leaf, and every list element that is told apart by its keys. */
export function fieldsOf(value: unknown, shape: Shape): FieldSet {
  return allFields(value, shape, false);
}

/** What an update added or changed, and what it removed. */
export function fieldChanges(before: unknown, after: unknown, shape: Shape): { changed: FieldSet; removed: FieldSet } {
  if (before === after) return nothing;
  if (isFields(before) && isFields(after) && !isAtomicMap(shape)) {
    return entryChanges(entries(before, shape), entries(after, shape));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const style = listStyle(shape, after.length > 0 ? after : before);
    if (style !== 'atomic') return entryChanges(elements(before, shape), elements(after, shape));
  }
  return sameJson(before, after) ? nothing : { changed: itself, removed: {} };
}

/** Marks the value itself; the caller hangs it under its step. */
const itself: FieldSet = { '.': member };
const nothing = { changed: {}, removed: {} };

interface Entry {
  readonly value: unknown;
  readonly shape: Shape;
}

function entries(value: Readonly<Record<string, unknown>>, shape: Shape): Map<string, Entry> {
  return new Map(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([field, item]) => [`f:${field}`, { value: item, shape: childShape(shape, field) }]),
  );
}

function elements(list: readonly unknown[], shape: Shape): Map<string, Entry> {
  const style = listStyle(shape, list);
  if (style === 'atomic') return new Map();
  return new Map(list.map((item) => [elementKey(style, item), { value: item, shape: itemShape(shape) }]));
}

function entryChanges(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
): { changed: FieldSet; removed: FieldSet } {
  const changed: Record<string, FieldSet> = {};
  const removed: Record<string, FieldSet> = {};
  for (const [step, { value, shape }] of after) {
    const old = before.get(step);
    if (old === undefined) {
      changed[step] = allFields(value, shape, true, step);
      continue;
    }
    const below = fieldChanges(old.value, value, shape);
    if (below.changed === itself) changed[step] = member;
    else if (!isEmpty(below.changed)) changed[step] = below.changed;
    if (!isEmpty(below.removed)) removed[step] = below.removed;
  }
  for (const [step, { value, shape }] of before) {
    if (!after.has(step)) removed[step] = withContainers(allFields(value, shape, true, step));
  }
  return { changed, removed };
}

/** `own`: also the containers themselves, as an update that brings them owns them. */
function allFields(value: unknown, shape: Shape, own: boolean, step = ''): FieldSet {
  const below = childrenOf(value, shape);
  if (below === undefined || below.size === 0) return member;
  const found: Record<string, FieldSet> = {};
  if (step.startsWith('k:') || (own && isOwnedItself(shape))) found['.'] = member;
  for (const [under, entry] of below) found[under] = allFields(entry.value, entry.shape, own, under);
  return found;
}

function childrenOf(value: unknown, shape: Shape): Map<string, Entry> | undefined {
  if (Array.isArray(value)) return listStyle(shape, value) === 'atomic' ? undefined : elements(value, shape);
  return isFields(value) && !isAtomicMap(shape) ? entries(value, shape) : undefined;
}

/** A removed container takes every claim on it away, also those that only an apply or only an update makes. */
function withContainers(set: FieldSet): FieldSet {
  if (isEmpty(set)) return set;
  const below = Object.entries(set).map(([step, under]) => [step, withContainers(under)] as const);
  return { '.': member, ...Object.fromEntries(below) };
}
