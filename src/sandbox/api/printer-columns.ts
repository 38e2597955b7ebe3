import type { KubeObject, ResourceType } from '../store/objects.ts';
import type { Store } from '../store/store.ts';
import type { Column } from './column.ts';
import { definitionOf, type PrinterColumn, versionOf } from './definitions.ts';
import { humanDuration } from './human-duration.ts';

/** The columns that a CustomResourceDefinition asks for; undefined when it asks for none. */
export function printerColumns(store: Store, type: ResourceType): readonly Column[] | undefined {
  const definition = definitionOf(store, type);
  if (definition === undefined) return undefined;
  let columns = cache.get(definition);
  if (columns === undefined) {
    columns = (versionOf(definition, type.version)?.additionalPrinterColumns ?? []).map(columnFor);
    cache.set(definition, columns);
  }
  return columns.length === 0 ? undefined : columns;
}

const cache = new WeakMap<KubeObject, readonly Column[]>();

function columnFor(column: PrinterColumn): Column {
  const path = steps(column.jsonPath);
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description ?? `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
    priority: column.priority ?? 0,
    cell: (object, now) => cellOf(column.type, walk(object, path), now),
  };
}

/** The JSON paths that definitions really use: fields, quoted fields and indexes. */
function steps(jsonPath: string): string[] {
  return [...jsonPath.matchAll(/\.?([^.[\]]+)|\[['"]?([^\]'"]+)['"]?\]/g)].map((found) => found[1] ?? found[2] ?? '');
}

function walk(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<string, unknown>)[step];
  }
  return current;
}

function cellOf(type: string, value: unknown, now: number): unknown {
  if (value === undefined || value === null) return undefined;
  if (type === 'date') return typeof value === 'string' ? humanDuration(now - Date.parse(value)) : '<invalid>';
  if (type === 'string') return typeof value === 'string' ? value : JSON.stringify(value);
  return value;
}
