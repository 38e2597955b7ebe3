import type { KubeObject } from '../store/objects.ts';
import type { Column } from './column.ts';
import type { Call } from './server.ts';
import { columnsOf } from './table-columns.ts';

/** What kubectl prints: columns and one row an object. */
export function table(call: Call, items: readonly KubeObject[], metadata: unknown): unknown {
  const columns = columnsOf(call.server.store, call.type);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(definitionOf),
    rows: items.map((object) => row(call, columns, object)),
  };
}

export function tableOfOne(call: Call, object: KubeObject): unknown {
  return table(call, [object], { resourceVersion: object.metadata.resourceVersion });
}

/** For a watch: one table an event, the columns only in the first. */
export function tableEvents(call: Call): (object: KubeObject) => unknown {
  const columns = columnsOf(call.server.store, call.type);
  let first = true;
  return (object) => {
    const columnDefinitions = first ? columns.map(definitionOf) : null;
    first = false;
    return {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: object.metadata.resourceVersion },
      columnDefinitions,
      rows: [row(call, columns, object)],
    };
  };
}

export function metadataOnly(object: KubeObject): unknown {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

function definitionOf({ name, type, format = '', description = '', priority = 0 }: Column): unknown {
  return { name, type, format, description, priority };
}

function row(call: Call, columns: readonly Column[], object: KubeObject): unknown {
  const now = call.server.time.now();
  const cells = columns.map((column) => column.cell(object, now) ?? null);
  switch (call.info.query.get('includeObject')) {
    case 'None':
      return { cells, object: null };
    case 'Object':
      return { cells, object };
    default:
      return { cells, object: metadataOnly(object) };
  }
}
