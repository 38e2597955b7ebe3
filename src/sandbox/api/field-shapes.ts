import type { Schema } from './schema.ts';

/** How the elements of a list are told apart: not at all, by value, or by some of their fields. */
export type ListStyle = 'atomic' | 'set' | readonly string[];

/** Where in an object a value is, as far as that decides how it merges. */
export interface Shape {
  readonly field: string;
  readonly custom: boolean;
  /** Of custom resources, where the definition says something. */
  readonly schema?: Schema | undefined;
}

export function childShape(shape: Shape, field: string): Shape {
  const { schema, custom } = shape;
  // Metadata is the same for all kinds.
  if (field === 'metadata') return { field, custom: false };
  const additional = typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  return { field, custom, schema: schema?.properties?.[field] ?? additional };
}

export function itemShape(shape: Shape): Shape {
  return { field: '', custom: shape.custom, schema: shape.schema?.items };
}

export function listStyle({ field, custom, schema }: Shape, items: readonly unknown[]): ListStyle {
  if (custom) {
    if (schema?.['x-kubernetes-list-type'] === 'set') return 'set';
    return schema?.['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : 'atomic';
  }
  if (field === 'finalizers') return 'set';
  if (field === 'ports') return portKeys(items);
  return mergeKeys.get(field) ?? 'atomic';
}

/** A map that is one value: whoever writes one key owns all. */
export function isAtomicMap({ field, custom, schema }: Shape): boolean {
  if (custom) return schema?.['x-kubernetes-map-type'] === 'atomic';
  return field === 'selector' || field === 'nodeSelector' || field === 'labelSelector';
}

/** Whether the appearance of the container itself is owned, apart from what is in it. */
export function isOwnedItself({ field, custom }: Shape): boolean {
  return custom || ownedContainers.has(field);
}

export function elementKey(style: Exclude<ListStyle, 'atomic'>, item: unknown): string {
  if (style === 'set') return `v:${JSON.stringify(item)}`;
  const fields = (item ?? {}) as Readonly<Record<string, unknown>>;
  const keys = [...style].sort().map((key) => [key, fields[key] ?? (key === 'protocol' ? 'TCP' : undefined)]);
  return `k:${JSON.stringify(Object.fromEntries(keys))}`;
}

const mergeKeys: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    conditions: ['type'],
    containers: ['name'],
    env: ['name'],
    ephemeralContainers: ['name'],
    hostAliases: ['ip'],
    imagePullSecrets: ['name'],
    initContainers: ['name'],
    ownerReferences: ['uid'],
    secrets: ['name'],
    topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
    volumeDevices: ['devicePath'],
    volumeMounts: ['mountPath'],
    volumes: ['name'],
    webhooks: ['name'],
  }),
);

const ownedContainers = new Set([
  'annotations',
  'binaryData',
  'conditions',
  'data',
  'finalizers',
  'labels',
  'limits',
  'matchLabels',
  'ownerReferences',
  'requests',
  'rollingUpdate',
  'stringData',
]);

function portKeys(items: readonly unknown[]): readonly string[] {
  const first = (items[0] ?? {}) as Readonly<Record<string, unknown>>;
  return 'containerPort' in first ? ['containerPort', 'protocol'] : ['port', 'protocol'];
}
