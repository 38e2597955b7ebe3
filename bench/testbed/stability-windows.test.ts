import { expect, it } from 'vitest';
import type { RunEvent } from '../../src/core/run/events.ts';
import { stabilityWindows } from './stability-windows.ts';

it('counts what an app had to last, and not what a run waited beyond it', () => {
  const events = [5, 6, 1, 0].map((stableSeconds) => healthy(`after-${stableSeconds}`, stableSeconds));
  expect([...stabilityWindows(events)]).toEqual([
    ['after-5', 5000],
    ['after-6', 5000],
    ['after-1', 0],
    ['after-0', 0],
  ]);
});

function healthy(node: string, stableSeconds: number): RunEvent {
  return { type: 'node-healthy', node, evidence: { stableSeconds } } as unknown as RunEvent;
}
