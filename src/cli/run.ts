import { CommanderError } from 'commander';
import { ConnectionError } from '../adapters/kubernetes/connection.ts';
import { OperatorError } from '../engine/operator-error.ts';
import { PlanRefusedError } from '../engine/plan-refused-error.ts';
import { ExitError, type Io } from './io.ts';
import { createProgram } from './program.ts';

/** Runs one command line and returns its exit code. The only place that catches everything. */
export async function run(args: readonly string[], io: Io, options: { readonly isExecutor: boolean }): Promise<number> {
  const result = { exitCode: 0 };
  try {
    await createProgram(io, options, result).parseAsync([...args], { from: 'user' });
    return result.exitCode;
  } catch (error) {
    return explain(error, io);
  }
}

function explain(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 3;
  if (error instanceof ExitError) return tell(io, error.message, error.hint, error.exitCode);
  if (error instanceof PlanRefusedError) return tell(io, `nothing was done\n${error.message}`, undefined, 3);
  if (error instanceof OperatorError) return tell(io, error.message, error.hint, error.exitCode);
  if (error instanceof ConnectionError) return tell(io, error.message, error.hint, 3);
  // Whatever was cut short by Ctrl-C is not our bug.
  if (io.stop.aborted) return tell(io, 'stopped before it was done', undefined, 1);
  io.err(
    `This is a bug in Tiphys. Please report it with what follows.\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return 70;
}

function tell(io: Io, message: string, hint: string | undefined, exitCode: number): number {
  io.err(`error: ${message}\n${hint === undefined ? '' : `  ${hint}\n`}`);
  return exitCode;
}
