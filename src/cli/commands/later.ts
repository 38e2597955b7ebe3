import type { Platform } from '../../core/platform/platform.ts';
import type { CommandRun } from '../invocation.ts';
import { ExitError } from '../io.ts';
import type { RawOptions } from '../settings.ts';

/** A command of the public interface that this release does not have. */
export const laterCommand: CommandRun = async () => {
  throw new ExitError(
    3,
    'this command is not part of this release',
    'This release has check, plan, deploy, validate, teardown, status, graph, explain, sandbox, report and schema.',
  );
};

/** The engine `argo-workflows` comes with a later release: say so before anything is done. */
export function onlyEmbedded(platform: Platform, options: RawOptions): void {
  if (platform.environment.engine === 'argo-workflows' || options.detach === true) {
    throw new ExitError(
      3,
      'the engine argo-workflows is not part of this release',
      'Use --engine embedded: the executor walks the same plan itself.',
    );
  }
}
