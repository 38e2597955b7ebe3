import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nodesOf, pack, unpack } from './packing.ts';

const metadata = { name: 'acme-1', resourceVersion: '1' };

describe('pack', () => {
  it('leaves a small document readable', () => {
    expect(pack('{"kind":"Run"}')).toBe('{"kind":"Run"}');
    expect(unpack(pack('{}'))).toBe('{}');
  });

  it('makes a large one small, and unpack gives it back, whatever letters are in it', () => {
    const text = JSON.stringify({ text: 'Zoë · 零 '.repeat(20_000) });
    expect(text.length).toBeGreaterThan(100_000);
    expect(pack(text)).toMatch(/^gzip:[A-Za-z0-9+/=]+$/);
    expect(pack(text).length).toBeLessThan(text.length / 20);
    expect(unpack(pack(text))).toBe(text);
    expect(pack(text)).toBe(pack(text));
  });
});

describe('nodesOf', () => {
  const nodes = { 'acme-1-1': { name: 'acme-1.web', phase: 'Running' } };

  it('reads the nodes of a Workflow, also those that the controller has compressed', () => {
    expect(nodesOf({ metadata, status: { nodes } })).toEqual(nodes);
    const compressedNodes = gzipSync(JSON.stringify(nodes)).toString('base64');
    expect(nodesOf({ metadata, status: { compressedNodes } })).toEqual(nodes);
    expect(nodesOf({ metadata, status: { nodes, compressedNodes: '' } })).toEqual(nodes);
  });

  it('finds none in a Workflow that the controller has not seen', () => {
    expect(nodesOf({ metadata })).toEqual({});
  });
});
