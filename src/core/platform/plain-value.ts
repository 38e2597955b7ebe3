import { isAlias, isMap, isScalar, isSeq, type ParsedNode, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Position } from '../problem.ts';
import type { Problems } from './collect-problems.ts';

/** For each object and list of the value: where its entries stand, by key or index. */
export type Offsets = WeakMap<object, ReadonlyMap<PropertyKey, Place>>;

export interface Place {
  readonly key: number;
  readonly value: number;
  /** The entry's value as it was read; it stays findable when a check has removed it from the value. */
  readonly child: unknown;
}

const DEEPEST = 40;
/** What aliases may add to the file: enough for a shared setting in each of 10,000 apps; an alias bomb makes billions. */
const MOST_ALIASED = 100_000;

/** Turns a YAML node into plain objects, lists and scalars, reporting keys that are not text, keys given twice, and aliases that explode. */
export function plainValue(
  node: ParsedNode | null,
  position: (offset: number) => Position,
  problems: Problems,
): { value: unknown; offsets: Offsets } {
  const reading: Reading = {
    offsets: new WeakMap(),
    anchors: new Map(),
    position,
    problems,
    aliased: 0,
    insideAliases: 0,
    gaveUp: false,
  };
  const value = read(node, reading, 0);
  return { value: reading.gaveUp ? undefined : value, offsets: reading.offsets };
}

interface Reading {
  readonly offsets: Offsets;
  readonly anchors: Map<string, unknown>;
  readonly position: (offset: number) => Position;
  readonly problems: Problems;
  /** Values read through an alias, and how many aliases we are inside of. */
  aliased: number;
  insideAliases: number;
  gaveUp: boolean;
}

function read(node: unknown, reading: Reading, depth: number): unknown {
  if (reading.gaveUp) return undefined;
  if (reading.insideAliases > 0) reading.aliased += 1;
  if (reading.aliased > MOST_ALIASED) return giveUp(node, reading, tooMany);
  if (depth > DEEPEST) return giveUp(node, reading, tooDeep);
  if (isAlias(node)) return readAlias(node, reading, depth);
  remember(node, reading);
  if (isMap(node)) return readMap(node, reading, depth);
  if (isSeq(node)) return readList(node, reading, depth);
  return isScalar(node) ? node.value : null;
}

const tooMany = { what: 'The aliases of this file make it too large to read.', remedy: 'Write the values out.' };
const tooDeep = { what: 'The file is nested too deeply to be read.', remedy: 'Write it as the schema describes it.' };

function giveUp(node: unknown, reading: Reading, { what, remedy }: typeof tooMany): undefined {
  reading.gaveUp = true;
  reading.problems.error(reading.position(offsetOf(node)), what, remedy);
  return undefined;
}

/** An alias means the nearest anchor of that name above it, so anchors are noted on the way through. */
function remember(node: unknown, reading: Reading): void {
  if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined)
    reading.anchors.set(node.anchor, node);
}

function readAlias(node: { source: string }, reading: Reading, depth: number): unknown {
  const anchor = reading.anchors.get(node.source);
  if (anchor !== undefined) {
    reading.insideAliases += 1;
    const value = read(anchor, reading, depth + 1);
    reading.insideAliases -= 1;
    return value;
  }
  const at = reading.position(offsetOf(node));
  reading.problems.error(at, `There is no anchor "&${node.source}" above.`, 'Define it before it is used.');
  return null;
}

function readMap(map: YAMLMap, reading: Reading, depth: number): unknown {
  const result: Record<string, unknown> = Object.create(null);
  const places = new Map<PropertyKey, Place>();
  for (const { key, value } of map.items) {
    const name = readKey(key, reading);
    if (name === undefined) continue;
    const before = places.get(name);
    if (before !== undefined) {
      reportTwice(name, { first: before.key, second: offsetOf(key) }, reading);
      continue;
    }
    const child = read(value, reading, depth + 1);
    places.set(name, { key: offsetOf(key), value: hasText(value) ? offsetOf(value) : offsetOf(key), child });
    result[name] = child;
  }
  reading.offsets.set(result, places);
  return result;
}

function readList(list: YAMLSeq, reading: Reading, depth: number): unknown {
  const places = new Map<PropertyKey, Place>();
  const result = list.items.map((item, index) => {
    const child = read(item, reading, depth + 1);
    places.set(index, { key: offsetOf(item), value: offsetOf(item), child });
    return child;
  });
  reading.offsets.set(result, places);
  return result;
}

function readKey(key: unknown, reading: Reading): string | undefined {
  const at = () => reading.position(offsetOf(key));
  if (!isScalar(key)) {
    reading.problems.error(at(), 'A key must be plain text here.', 'Write a name before the colon.');
    return undefined;
  }
  if (typeof key.value === 'string' && key.value !== '__proto__') return key.value;
  const written = key.source ?? String(key.value);
  const kind = key.value === null ? 'nothing' : `a ${typeof key.value}`;
  if (key.value === '__proto__') reading.problems.error(at(), '"__proto__" cannot be a name.', 'Choose another name.');
  else
    reading.problems.error(
      at(),
      `The key ${written} is read as ${kind}, not as a name.`,
      `Put it in quotes: "${written}".`,
    );
  return key.value === '__proto__' ? undefined : written;
}

function reportTwice(name: string, places: { first: number; second: number }, reading: Reading): void {
  const first = reading.position(places.first);
  reading.problems.error(
    reading.position(places.second),
    `"${name}" is given twice; the first is in line ${first.line}.`,
    'Remove one of them, or give it another name.',
  );
}

function hasText(node: unknown): boolean {
  return !(isScalar(node) && node.value === null && (node.source ?? '') === '') && node !== null;
}

function offsetOf(node: unknown): number {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return 0;
  return typeof node.range[0] === 'number' ? node.range[0] : 0;
}
