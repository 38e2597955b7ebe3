import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregate } from './aggregate.ts';

describe('the health of a stack or platform (R5.8)', () => {
  it('is Healthy only when all are', () => {
    expect(aggregate(['healthy', 'healthy'])).toBe('healthy');
    for (const other of ['failed', 'degraded', 'missing', 'progressing', 'unknown', 'suspended'] as const) {
      expect(aggregate(['healthy', other])).not.toBe('healthy');
    }
  });

  it('is Failed when one has failed, whatever the others are', () => {
    expect(aggregate(['healthy', 'degraded', 'progressing', 'failed'])).toBe('failed');
  });

  it('is Degraded when one is Degraded or Missing', () => {
    expect(aggregate(['healthy', 'progressing', 'degraded'])).toBe('degraded');
    expect(aggregate(['healthy', 'progressing', 'missing'])).toBe('degraded');
    expect(aggregate(['unknown', 'missing'])).toBe('degraded');
  });

  it('is Progressing when one is and none is worse', () => {
    expect(aggregate(['healthy', 'progressing', 'suspended'])).toBe('progressing');
  });

  it('does not take what it could not look at for something that moves', () => {
    expect(aggregate(['healthy', 'progressing', 'unknown'])).toBe('unknown');
  });

  it('shows a pause only when nothing else is wrong', () => {
    expect(aggregate(['healthy', 'suspended'])).toBe('suspended');
  });

  it('is not Healthy when there is nothing to look at', () => {
    expect(aggregate([])).toBe('unknown');
  });

  it('does not depend on the order, nor on whether stacks are aggregated first', () => {
    const status = fc.constantFrom('healthy', 'suspended', 'progressing', 'unknown', 'degraded', 'failed', 'missing');
    fc.assert(
      fc.property(fc.array(fc.array(status, { minLength: 1 }), { minLength: 1 }), (stacks) => {
        const all = aggregate(stacks.flat());
        expect(aggregate(stacks.flat().reverse())).toBe(all);
        expect(aggregate(stacks.map((stack) => aggregate(stack)))).toBe(all);
      }),
    );
  });
});
