import { spawn } from 'node:child_process';
import { listenTo, type Running } from '../running.ts';

/** Starts `bin/<name>` with exactly this environment, so that nothing of the test's own leaks in. */
export function start(name: 'tiphys' | 'executor', args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [`bin/${name}`, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return listenTo(child);
}
