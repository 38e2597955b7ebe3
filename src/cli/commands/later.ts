import type { CommandRun } from '../invocation.ts';
import { ExitError } from '../io.ts';

/** A command of the public interface that this release does not have. */
export const laterCommand: CommandRun = async () => {
  throw new ExitError(
    3,
    'this command is not part of this release',
    'This release has check, plan, compile, deploy, attach, validate, teardown, status, graph, explain, sandbox, report and schema.',
  );
};
