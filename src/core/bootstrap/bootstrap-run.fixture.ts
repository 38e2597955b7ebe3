import type { RunEvent, RunEventBody } from '../run/events.ts';
import { foldEvents } from '../run/fold-run.ts';
import type { Run } from '../run/run.ts';
import { finish, type PlaybookEnd } from './finish.ts';
import { hear, silence } from './listen.ts';
import { planBootstrap } from './plan-bootstrap.ts';

export const well: PlaybookEnd = { because: 'ended', code: 0, said: '' };

/** The events of a playbook that told these lines and ended like this. */
export function eventsOf(lines: readonly (string | object)[], end: PlaybookEnd): readonly RunEventBody[] {
  const told: RunEventBody[] = [];
  let state = silence;
  for (const line of lines) {
    const heard = hear(state, typeof line === 'string' ? line : JSON.stringify(line));
    state = heard.state;
    told.push(...heard.told);
  }
  return [...told, ...finish(state, end)];
}

/** The run that every view would be made from. */
export function runOf(lines: readonly (string | object)[], end: PlaybookEnd): Run {
  const plan = planBootstrap('acme');
  const start: RunEventBody = {
    type: 'run-started',
    runId: 'bootstrap-1',
    plan,
    engine: 'ansible',
    order: 'edges',
    parallelism: 1,
  };
  const bodies: readonly RunEventBody[] = [start, ...eventsOf(lines, end)];
  return foldEvents(bodies.map((body, index): RunEvent => ({ at: new Date(index * 1000).toISOString(), ...body })));
}

/** What a role tells that goes well. */
export function roleLines(role: string, more: object = {}): readonly object[] {
  return [
    { event: 'role-started', role, at: '2026-01-01T00:00:00.000Z' },
    { event: 'phase', role, phase: 'pre-check', task: 'Look at the cluster' },
    { event: 'phase', role, phase: 'apply', task: 'Install the chart' },
    { event: 'phase', role, phase: 'validate', task: 'Wait until the API answers' },
    { event: 'retrying', role, task: 'Wait until the API answers', attempt: 3, of: 30 },
    { event: 'role-result', role, status: 'success', changed: true, seconds: 12.3, ...more },
  ];
}
