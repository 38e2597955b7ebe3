import { resolve } from 'node:path';
import { readPlatformFolder, readText, type SourceFile } from '../adapters/files/platform-folder.ts';
import { scopeProblem } from '../core/plan/scope.ts';
import { formatProblems } from '../core/platform/format-problems.ts';
import type { Platform } from '../core/platform/platform.ts';
import { readPlatform } from '../core/platform/read-platform.ts';
import type { Problem } from '../core/problem.ts';
import type { PlatformSource } from '../core/workflow/run-document.ts';
import { ExitError, type Io } from './io.ts';
import type { Settings } from './settings.ts';

export interface LoadedPlatform {
  readonly platform: Platform;
  /** What somebody else needs to read the same platform. */
  readonly source: PlatformSource;
  readonly folder: string;
  readonly scenario: SourceFile | undefined;
  readonly warnings: readonly Problem[];
}

/** Reads a folder that must be right: with one error in it nothing runs (exit 3). Warnings are told on stderr. */
export async function loadPlatform(io: Io, folder: string, settings: Settings): Promise<LoadedPlatform> {
  const read = await readFolder(io, folder, settings);
  if (read.platform === undefined)
    throw new ExitError(
      3,
      `${folder} has problems\n${formatProblems(read.problems)}`,
      'Mend them and run `tiphys check` to see what is left.',
    );
  const { platform, problems, scenario, source } = read;
  // The one who runs it is rarely the one who wrote it; `check` shows them in full.
  if (problems.length > 0)
    io.err(
      `${count(problems.length, 'warning')} in ${folder}; \`tiphys check ${folder}\` shows ${problems.length === 1 ? 'it' : 'them'}\n`,
    );
  tellOfVariable(io, settings, folder);
  const wrong = scopeProblem(platform, settings.scope);
  if (wrong !== undefined)
    throw new ExitError(3, wrong, 'Use --scope platform, stack:<name> or app:<name> with a name from dag.yaml.');
  return { platform, source, folder, scenario, warnings: problems };
}

/** CI systems set such a variable for purposes of their own; nobody may deploy from another repository without noticing. */
function tellOfVariable(io: Io, { raw }: Settings, folder: string): void {
  const { GIT_URL: url } = io.env;
  if (raw.sandbox === true || url === undefined || url === '' || raw.gitRepository !== url) return;
  io.err(`The Git repository is that of the variable GIT_URL, whatever ${folder}/environment.yaml says.\n`);
}

/** Reads a folder as it is, problems and all. */
export async function readFolder(
  io: Io,
  folder: string,
  settings: Settings,
): Promise<Omit<LoadedPlatform, 'platform' | 'folder' | 'warnings'> & ReturnType<typeof readPlatform>> {
  const files = await readPlatformFolder(resolve(io.cwd, folder));
  if ('missing' in files) {
    const shown = relativeTo(io.cwd, files.missing);
    throw new ExitError(
      3,
      `${shown} ${files.because}`,
      'A platform is a folder with dag.yaml and environment.yaml; platforms/hello is a small one to start from.',
    );
  }
  const dag = { ...files.dag, file: relativeTo(io.cwd, files.dag.file) };
  const environment = { ...files.environment, file: relativeTo(io.cwd, files.environment.file) };
  const { overrides } = settings;
  const { platform, problems } = readPlatform({ dag, environment }, overrides);
  const source = { dag, environment, overrides };
  return { platform, problems, source, scenario: await scenarioFile(io, settings, files.scenario) };
}

async function scenarioFile(
  io: Io,
  settings: Settings,
  found: SourceFile | undefined,
): Promise<SourceFile | undefined> {
  const asked = settings.raw.scenario;
  if (asked === undefined) return found === undefined ? undefined : { ...found, file: relativeTo(io.cwd, found.file) };
  const text = await readText(resolve(io.cwd, asked));
  if (typeof text !== 'string')
    throw new ExitError(
      3,
      `${asked} ${text.because}`,
      '--scenario takes a file; platforms/hello/scenario.yaml is an example.',
    );
  return { file: asked, text };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function relativeTo(cwd: string, file: string): string {
  return file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file;
}
