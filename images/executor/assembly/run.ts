import { execFile } from 'node:child_process';

/** Why an image could not be made, and what to do about it. */
export class AssemblyError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'AssemblyError';
    this.hint = hint;
  }
}

/** Runs a program to its end and gives what it printed; throws with the end of what it said when it fails. */
export function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const given = { ...options, env: { ...process.env, ...options.env }, maxBuffer: 256 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(command, [...args], given, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      if (error.code === 'ENOENT') {
        return reject(new AssemblyError(`${command} is missing`, 'see “What it takes” in images/executor/README.md'));
      }
      const tail = `${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n  ');
      reject(
        new AssemblyError(
          `${command} failed:\n  ${tail}`,
          'if it could not reach something, see docs/guides/air-gap.md',
        ),
      );
    });
  });
}
