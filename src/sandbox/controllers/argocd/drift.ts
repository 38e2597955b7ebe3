import type { KubeObject } from '../../store/objects.ts';

/** Does the live object differ from Git in a field that Git sets? What others added beside it is no difference. */
export function drifted(desired: KubeObject, live: KubeObject): boolean {
  return Object.keys(desired).some((field) => {
    if (field === 'status') return false;
    if (field === 'metadata') return metadataDrifted(desired, live);
    return !contains(live[field], desired[field]);
  });
}

function metadataDrifted(desired: KubeObject, live: KubeObject): boolean {
  return (
    !contains(live.metadata.labels ?? {}, desired.metadata.labels ?? {}) ||
    !contains(live.metadata.annotations ?? {}, desired.metadata.annotations ?? {})
  );
}

/** Maps are compared by the wanted keys, lists as a whole. */
function contains(live: unknown, wanted: unknown): boolean {
  if (live === wanted || wanted === undefined) return true;
  if (typeof live !== 'object' || typeof wanted !== 'object' || live === null || wanted === null) return false;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(live) && live.length === wanted.length && wanted.every((item, index) => contains(live[index], item))
    );
  }
  const liveFields = live as Record<string, unknown>;
  return Object.entries(wanted).every(([field, value]) => contains(liveFields[field], value));
}

/** The live object with everything that Git sets, as applying it does. */
export function applied(desired: KubeObject, live: KubeObject): KubeObject {
  const { metadata, status: _status, ...rest } = desired;
  const merged = merge(live, rest) as KubeObject;
  return {
    ...merged,
    metadata: {
      ...live.metadata,
      ...(metadata.labels === undefined ? {} : { labels: { ...live.metadata.labels, ...metadata.labels } }),
      annotations: { ...live.metadata.annotations, ...metadata.annotations },
    },
  };
}

function merge(live: unknown, wanted: unknown): unknown {
  if (!isMap(live) || !isMap(wanted)) return wanted;
  const result: Record<string, unknown> = { ...live };
  for (const [field, value] of Object.entries(wanted)) result[field] = merge(result[field], value);
  return result;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
