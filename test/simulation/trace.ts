import { logLine } from '../../src/cli/log-lines.ts';
import type { RunEvent } from '../../src/core/run/events.ts';

/** With SIM_SEED set, one case is replayed and told event by event. */
export function trace(event: RunEvent): void {
  if (process.env['SIM_SEED'] === undefined) return;
  const entry = logLine(event, 'text', { action: 'simulation', level: 'debug' });
  if (entry !== undefined) process.stdout.write(`${entry.line}\n`);
}
