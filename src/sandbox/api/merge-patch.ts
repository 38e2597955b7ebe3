/** RFC 7396: null removes, objects merge, everything else replaces. Parts that stay the same keep their identity. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const base = isFields(target) ? target : {};
  let merged: Record<string, unknown> | undefined;
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) {
      if (!(field in base)) continue;
      merged ??= { ...base };
      delete merged[field];
      continue;
    }
    const next = mergePatch(base[field], value);
    if (next === base[field]) continue;
    merged ??= { ...base };
    merged[field] = next;
  }
  return merged ?? base;
}

export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
