import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nodeOf, taskOf } from './task-name.ts';

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,10}[a-z0-9])?$/);
const node = fc.oneof(
  label,
  fc.tuple(label, label).map(([app, part]) => `${app}#${part}`),
);

it('every node has a task of its own and is found again by it, also where Argo takes - for _', () => {
  fc.assert(
    fc.property(node, node, (a, b) => {
      expect(nodeOf(taskOf(a))).toBe(a);
      if (a !== b) expect(taskOf(a).replaceAll('-', '_')).not.toBe(taskOf(b).replaceAll('-', '_'));
    }),
    { numRuns: 500 },
  );
});

it('tasks begin with a letter and hold nothing that depends cannot say', () => {
  fc.assert(
    fc.property(node, (each) => {
      expect(taskOf(each)).toMatch(/^[A-Za-z][-A-Za-z0-9]*$/);
    }),
  );
  expect(taskOf('3scale#crds')).toBe('N-3scale-PART-crds');
});
