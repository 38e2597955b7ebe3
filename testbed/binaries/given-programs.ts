import { access, constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TestbedError } from '../cluster/testbed-error.ts';
import type { Program, Target } from './targets.ts';

/** A testbed remembers the folder that it was given once, so that unsetting the variable does not help. */
export const orOtherPrograms =
  'set TIPHYS_TESTBED_BIN to another folder, or set it to nothing (TIPHYS_TESTBED_BIN=) to build everything from source';

/** The file behind each program in a folder that somebody else has filled; throws with all that are missing. */
export async function givenPrograms(targets: readonly Target[], folder: string): Promise<Map<string, string>> {
  const programs = new Map<string, string>();
  const missing: string[] = [];
  for (const target of targets) {
    for (const program of target.programs) {
      const file = await firstProgram(candidates(target, program).map((name) => resolve(folder, name)));
      if (file !== undefined) programs.set(program.name, file);
      else if (!target.isOptional) missing.push(`${program.name} (${target.version})`);
    }
  }
  if (missing.length === 0) return programs;
  throw new TestbedError(
    `the folder of programs ${folder} lacks ${missing.join(', ')}`,
    `put them there, ${orOtherPrograms}`,
  );
}

// The exact version first: two lines of Argo CD may lie side by side, and the plain names belong to one of them.
function candidates(target: Target, program: Program): string[] {
  return [`${target.binary}-${target.version}`, target.name, program.name, target.binary];
}

async function firstProgram(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    if (await isProgram(file)) return file;
  }
  return undefined;
}

function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
