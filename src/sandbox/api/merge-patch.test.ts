import { describe, expect, it } from 'vitest';
import { mergePatch } from './merge-patch.ts';

describe('a merge patch', () => {
  it('removes with null, merges objects and replaces everything else', () => {
    const target = { a: { b: 1, c: 2 }, list: [1, 2], gone: true };
    expect(mergePatch(target, { a: { b: null, d: 3 }, list: [3], gone: null, absent: null })).toEqual({
      a: { c: 2, d: 3 },
      list: [3],
    });
  });

  it('strips nulls from what it adds', () => {
    expect(mergePatch({}, { a: { b: null, c: 1 } })).toEqual({ a: { c: 1 } });
  });

  it('gives back the same value where nothing changes', () => {
    const target = { metadata: { labels: { a: 'b' } }, spec: { x: 1 } };
    const merged = mergePatch(target, { spec: { x: 2 } }) as typeof target;
    expect(merged.metadata).toBe(target.metadata);
    expect(mergePatch(target, { spec: { x: 1 }, none: null })).toBe(target);
  });

  it('replaces a scalar by an object and an object by a scalar', () => {
    expect(mergePatch({ a: 1, b: { c: 1 } }, { a: { d: 1 }, b: 'x' })).toEqual({ a: { d: 1 }, b: 'x' });
  });
});
