import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import type { Io } from './io.ts';

/** The process as commands see it. */
export function processIo(): Io {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const first = (): void => {
      stopping.abort(signal);
      // The second time the default holds again: leave at once.
      process.off(signal, first);
    };
    process.on(signal, first);
  }
  // A reader that went away (`| head`) is no error of ours.
  process.stdout.on('error', ignoreClosedPipe);
  process.stderr.on('error', ignoreClosedPipe);
  const interactive = process.stdin.isTTY === true && process.stderr.isTTY === true;
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    terminal: process.stderr.isTTY === true ? process.stderr : undefined,
    outIsTerminal: process.stdout.isTTY === true,
    columns: process.stdout.columns ?? process.stderr.columns ?? 100,
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    stop: stopping.signal,
    ask: interactive ? (question) => askPerson(question, stopping.signal) : undefined,
  };
}

async function askPerson(question: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question, { signal });
  } finally {
    lines.close();
  }
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
