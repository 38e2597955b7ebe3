import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportSchema } from '../report/report.ts';
import { toReport } from '../report/to-report.ts';
import { eventsOf, runOf } from './bootstrap-run.fixture.ts';
import type { PlaybookEnd } from './finish.ts';
import { bootstrapRoles } from './roles.ts';

const names = bootstrapRoles.map(({ name }) => name);
const role = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...names) },
  fc.constantFrom('release', '', 'constructor'),
);
const phase = fc.constantFrom('pre-check', 'apply', 'test', 'validate', 'rollback', 'result', 'main', undefined);
const sentence = fc.oneof(fc.string({ maxLength: 12 }), fc.constant(undefined));

const event = fc.oneof(
  fc.record({ event: fc.constant('role-started'), role }),
  fc.record({ event: fc.constant('phase'), role, phase, task: sentence }),
  fc.record({ event: fc.constant('retrying'), role, task: sentence, attempt: fc.anything(), of: fc.integer() }),
  fc.record({ event: fc.constant('task-failed'), role, phase, task: sentence, message: sentence }),
  fc.record({
    event: fc.constant('role-result'),
    role,
    status: fc.constantFrom('success', 'success', 'failed', 'rolled_back', 'perhaps'),
    changed: fc.oneof(fc.boolean(), fc.constant('yes')),
    chart: sentence,
    version: fc.anything(),
    revision: fc.anything(),
    error: sentence,
  }),
  fc.record({ event: fc.constant('finished'), ok: fc.nat() }),
  fc.record({ event: fc.string() }),
);

const line = fc.oneof(
  { weight: 6, arbitrary: event.map((value) => JSON.stringify(value)) },
  // Half a line, as a killed program leaves it.
  { weight: 1, arbitrary: fc.tuple(event, fc.nat(40)).map(([value, cut]) => JSON.stringify(value).slice(0, cut)) },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.json() },
);

const end: fc.Arbitrary<PlaybookEnd> = fc.record({
  because: fc.constantFrom('ended', 'ended', 'ended', 'not-found', 'not-executable', 'deadline', 'stopped'),
  code: fc.constantFrom(0, 0, 2, 4, undefined),
  said: fc.string({ maxLength: 20 }),
});

const ends = new Set(['node-healthy', 'node-skipped', 'node-failed', 'node-blocked']);

describe('any sequence of lines, also broken ones', () => {
  it('gives a run with one end, whose roles end once, after they began, and are known', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), end, (lines, how) => {
        const events = eventsOf(lines, how);
        expect(events.filter(({ type }) => type === 'run-finished')).toHaveLength(1);
        expect(events.at(-1)?.type).toBe('run-finished');
        const begun = new Set<string>();
        const over = new Set<string>();
        for (const told of events) {
          if (!('node' in told) || told.node === undefined) continue;
          expect(names).toContain(told.node);
          expect(over.has(told.node)).toBe(false);
          if (told.type === 'node-started') expect(begun.has(told.node)).toBe(false);
          else if (told.type !== 'node-blocked' && told.type !== 'node-failed') expect(begun.has(told.node)).toBe(true);
          begun.add(told.node);
          if (ends.has(told.type)) over.add(told.node);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is a success only if every role said so and the program ended well, and otherwise names a reason (INV-4)', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), end, (lines, how) => {
        const run = runOf(lines, how);
        const states = [...run.nodes.values()].map(({ state }) => state);
        const whole = states.every((state) => state === 'healthy' || state === 'skipped');
        expect(run.outcome === 'success').toBe(whole && how.because === 'ended' && how.code === 0);
        if (run.outcome === 'success') return;
        expect(run.exitCode).toBe(how.because === 'deadline' ? 4 : 1);
        expect(states.includes('failed') || run.interrupted !== undefined || run.warnings.length > 0).toBe(true);
        expect(states.includes('running')).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('makes a report that its schema accepts', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), end, (lines, how) => {
        expect(reportSchema.safeParse(toReport(runOf(lines, how))).error).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });
});
