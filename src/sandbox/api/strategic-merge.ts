import { mergePatch } from './merge-patch.ts';

export function strategicMerge(target: unknown, patch: unknown): unknown {
  return mergePatch(target, patch);
}
