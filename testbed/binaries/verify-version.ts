import { realpath } from 'node:fs/promises';
import { TestbedError } from '../cluster/testbed-error.ts';
import { orOtherPrograms } from './given-programs.ts';
import { runProgram } from './run-program.ts';
import type { Program, Target } from './targets.ts';

/** Asks each different file behind the programs of a target for its version, and throws when it is not the wanted one. */
export async function verifyVersion(target: Target, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const files = new Map<string, Program>();
  for (const program of target.programs) {
    const file = await realpath(`${folder}/${program.name}`);
    if (files.get(file)?.ask === undefined) files.set(file, program);
  }
  await Promise.all(
    [...files].map(async ([file, program]) => {
      const found = await versionOf(program, folder, env);
      if (found === target.version) return;
      throw new TestbedError(
        `${file}: found ${found}, wanted ${target.name} ${target.version}`,
        `put the wanted version there, ${orOtherPrograms}`,
      );
    }),
  );
}

async function versionOf({ name, ask }: Program, folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (ask === undefined) return `a ${name} of its own, which cannot be asked for its version`;
  // Through the link, because a program that is several in one goes by the name it is started under.
  const answer = await runProgram(`${folder}/${name}`, ask.args, { env, timeoutMs: 60_000 });
  const said = `${answer?.stdout ?? ''}\n${answer?.stderr ?? ''}`;
  return ask.answer.exec(said)?.[1] ?? `no version in what "${name} ${ask.args.join(' ')}" says (${lastLine(said)})`;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
