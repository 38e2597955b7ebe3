import { describe, expect, it } from 'vitest';
import type { Plan } from '../plan/plan.ts';
import { planMarkdown } from './plan-markdown.ts';
import { planText } from './plan-text.ts';
import { samplePlan } from './sample-run.fixture.ts';
import { textWidth } from './text-width.ts';

describe('a plan in words', () => {
  it('goes wave by wave with reasons, and puts what is skipped on one line', () => {
    expect(planText(small(), { width: 80, color: false })).toMatchInlineSnapshot(`
      "deploy acme (stack:storage): 2 to sync, 1 part to sync early, 1 as wanted alrea…

      Wave 1
        ◦ prometheus#crds  Application missing
      Wave 2
        + operator         Application missing, after crds

        = 1 × Healthy at the wanted revision
          crds

      Critical path  3 steps
        crds → operator → ceph"
    `);
  });

  it('says so when there is nothing to do (INV-6)', () => {
    const steps = small().steps.map((step) => ({
      ...step,
      action: 'skip' as const,
      reason: 'Healthy at the wanted revision',
    }));
    expect(planText({ ...small(), steps }, { width: 80, color: false })).toContain('Nothing to do.');
  });

  it('fits any width', () => {
    for (const width of [40, 80, 160]) {
      for (const line of planText(samplePlan(), { width, color: false }).split('\n')) {
        expect(textWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  it('names every step', () => {
    const text = planText(samplePlan(), { width: 160, color: false });
    for (const { node } of samplePlan().steps) expect(text).toContain(node);
  });

  it('reads as Markdown too, with nothing from a file taken for markup', () => {
    const plan = small();
    const [first, ...rest] = plan.steps;
    const steps = first === undefined ? [] : [{ ...first, reason: 'a | b <img src=x> `c` *d*' }, ...rest];
    expect(planMarkdown({ ...plan, steps })).toMatchInlineSnapshot(`
      "# Plan: deploy acme (stack:storage)

      2 to sync, 1 part to sync early, 1 as wanted already.

      ## Wave 1

      | node | stack | action | why | after |
      | --- | --- | --- | --- | --- |
      | prometheus\\#crds | storage | part | Application missing |  |

      ## Wave 2

      | node | stack | action | why | after |
      | --- | --- | --- | --- | --- |
      | operator | storage | sync | Application missing | crds |

      ## Skipped

      - a \\| b &lt;img src=x\\> \\\`c\\\` \\*d\\*: crds

      ## Critical path

      crds → operator → ceph"
    `);
  });
});

function small(): Plan {
  const step = { stack: 'storage', edges: {}, reason: 'Application missing' };
  return {
    kind: 'Plan',
    platform: 'acme',
    action: 'deploy',
    scope: 'stack:storage',
    steps: [
      {
        ...step,
        node: 'crds',
        application: 'crds',
        action: 'skip',
        reason: 'Healthy at the wanted revision',
        after: [],
        wave: 1,
      },
      { ...step, node: 'prometheus#crds', application: 'prometheus', action: 'part', after: [], wave: 1 },
      { ...step, node: 'operator', application: 'operator', action: 'sync', after: ['crds'], wave: 2 },
      {
        ...step,
        node: 'ceph',
        application: 'ceph',
        action: 'sync',
        after: ['crds', 'operator', 'prometheus#crds'],
        edges: { 'prometheus#crds': 'soft' },
        wave: 3,
      },
    ],
    waves: [['crds', 'prometheus#crds'], ['operator'], ['ceph']],
    criticalPath: ['crds', 'operator', 'ceph'],
    problems: [],
  };
}
