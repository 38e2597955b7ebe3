import type { Io } from './io.ts';
import type { RawOptions } from './settings.ts';

/** What a command gets: its folder (or name), its options, and the process around it. */
export interface Invocation {
  readonly io: Io;
  readonly args: readonly string[];
  readonly options: RawOptions;
  readonly isExecutor: boolean;
}

/** One command; returns its exit code. */
export type CommandRun = (invocation: Invocation) => Promise<number>;
