/** RFC 7396: null removes, objects merge, everything else replaces. Parts that stay the same keep their identity. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const base = isFields(target) ? target : {};
  let merged: Record<string, unknown> | undefined;
  for (const [field, value] of Object.entries(patch)) {
    // Nothing in Kubernetes is called that, and assigning it would change the prototype.
    if (field === '__proto__') continue;
    const next = value === null ? undefined : mergePatch(base[field], value);
    if (next === base[field]) continue;
    merged ??= { ...base };
    if (next === undefined) delete merged[field];
    else merged[field] = next;
  }
  return merged ?? base;
}

export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
