import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A real process of ours, and what it has said so far. */
export interface Running {
  readonly child: ChildProcess;
  readonly said: { out: string; err: string };
  /** Resolves when stderr matches; rejects when the process ends first. */
  until(pattern: RegExp): Promise<RegExpMatchArray>;
  readonly ended: Promise<{ exitCode: number | null; signal: string | null }>;
}

/** Starts `bin/<name>` with exactly this environment, so that nothing of the test's own leaks in. */
export function start(name: 'tiphys' | 'executor', args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [`bin/${name}`, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk.toString();
  });
  const ended = once(child, 'close').then(([exitCode, signal]) => ({ exitCode, signal }));
  return {
    child,
    said,
    ended,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = said.err.match(pattern);
          if (match !== null) resolve(match);
        };
        child.stderr.on('data', look);
        look();
        void ended.then(() => reject(new Error(`ended before it said ${pattern}:\n${said.err}`)));
      }),
  };
}
