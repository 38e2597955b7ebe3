import { describe, expect, it } from 'vitest';
import { clip, pad, textWidth, wrap } from './text-width.ts';

describe('text in columns', () => {
  it('counts wide characters twice and combining ones not at all', () => {
    expect([textWidth('vault'), textWidth('保管'), textWidth('e\u0301'), textWidth('🚀')]).toEqual([5, 4, 1, 2]);
  });

  it('cuts with an ellipsis and never beyond the width', () => {
    expect(clip('ceph-cluster', 6)).toBe('ceph-…');
    expect(clip('保管保管', 4)).toBe('保…');
    expect(clip('abc', 0)).toBe('');
    expect(pad('ab', 4)).toBe('ab  ');
  });

  it('wraps at spaces, and cuts a word that no line can hold', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('a'.repeat(20), 8)).toEqual(['aaaaaaaa', 'aaaaaaaa', 'aaaa']);
  });
});
