import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** Started with `stdio: ['ignore', 'pipe', 'pipe']`. */
export type Child = ChildProcessByStdio<null, Readable, Readable>;

/** A real process of ours, and what it has said so far. */
export interface Running {
  readonly child: Child;
  readonly said: { out: string; err: string };
  /** Resolves when stderr matches; rejects when the process ends first. */
  until(pattern: RegExp): Promise<RegExpMatchArray>;
  readonly ended: Promise<{ exitCode: number | null; signal: string | null }>;
}

/** Hears everything a process says, from its start. */
export function listenTo(child: Child): Running {
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
        void ended.then(() => reject(new Error(`ended before it said ${pattern}:\n${said.err}${said.out}`)));
      }),
  };
}
