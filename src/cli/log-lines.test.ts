import { describe, expect, it } from 'vitest';
import { sampleEvents } from '../core/report/sample-run.fixture.ts';
import type { RunEvent } from '../core/run/events.ts';
import { logLine } from './log-lines.ts';

const at = '2026-01-05T03:00:00.000Z';
const failed: RunEvent = {
  at,
  type: 'node-failed',
  node: 'vault',
  because: 'sealed',
  hint: 'unseal it',
  attempts: 3,
  timedOut: true,
};

describe('logLine', () => {
  it('writes text as TIME LEVEL [action/phase/component] message (R7.10)', () => {
    expect(logLine(failed, 'text', { action: 'deploy' })).toEqual({
      level: 'error',
      line: '2026-01-05T03:00:00.000Z ERROR [deploy/run/vault] failed: sealed — unseal it',
    });
  });

  it('writes JSON with exactly the fields of R7.10', () => {
    expect(JSON.parse(logLine(failed, 'json', { action: 'deploy', phase: 'verify' })?.line ?? '')).toEqual({
      timestamp: at,
      level: 'error',
      action: 'deploy',
      phase: 'verify',
      component: 'vault',
      message: 'failed: sealed — unseal it',
    });
  });

  it('leaves out what is below the wanted level', () => {
    const progress: RunEvent = { at, type: 'gate-progress', node: 'vault', waitingFor: 'unsealed' };
    expect(logLine(progress, 'text', { action: 'deploy' })).toBeUndefined();
    expect(logLine(progress, 'text', { action: 'deploy', level: 'debug' })?.line).toContain('waits for unsealed');
    expect(logLine(failed, 'text', { action: 'deploy', level: 'error' })).toBeDefined();
  });

  it('is one line for one event, whatever the message holds', () => {
    const evil: RunEvent = { at, type: 'warning', message: 'a\r\n2026 ERROR [x] forged\u001b[31m\u2028', node: 'x\ny' };
    for (const format of ['text', 'json'] as const) {
      const line = logLine(evil, format, { action: 'deploy' })?.line ?? '';
      expect(line).toContain('forged');
      expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    }
  });

  it('has a line for every event of a run', () => {
    const lines = sampleEvents({ failing: { vault: 'sealed' } }).map((event) =>
      logLine(event, 'text', { action: 'deploy', level: 'debug' }),
    );
    expect(lines.every((line) => line !== undefined)).toBe(true);
  });
});
