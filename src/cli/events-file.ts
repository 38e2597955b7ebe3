import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RunEvent } from '../core/run/events.ts';
import { ExitError, type Io } from './io.ts';

/** One JSON event a line, written as it happens, so that a killed run leaves what it knew. */
export interface EventsFile {
  add(event: RunEvent): void;
  close(): void;
}

export function openEventsFile(io: Io, file: string, how: 'w' | 'a' = 'w'): EventsFile {
  const handle = open(resolve(io.cwd, file), file, how);
  return {
    add: (event) => void writeSync(handle, `${JSON.stringify(event)}\n`),
    close: () => closeSync(handle),
  };
}

function open(path: string, shown: string, how: 'w' | 'a'): number {
  try {
    // Reports name hosts and objects: for the owner's eyes until they say otherwise.
    return openSync(path, how, 0o600);
  } catch (error) {
    throw new ExitError(
      3,
      `${shown} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
      '--events takes a file in a folder that exists and is writable.',
    );
  }
}
