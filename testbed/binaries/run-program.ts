import { execFile } from 'node:child_process';

export interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; `undefined` means that there is none of that name. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string; readonly timeoutMs?: number },
): Promise<Answer | undefined> {
  const { env, cwd, timeoutMs: timeout = 0 } = options;
  const given = { env, timeout, maxBuffer: 64 * 1024 * 1024, ...(cwd === undefined ? {} : { cwd }) };
  return new Promise((resolve) => {
    execFile(file, [...args], given, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') resolve(undefined);
      else resolve({ exitCode: exitCodeOf(error), stdout, stderr: stderr === '' ? (error?.message ?? '') : stderr });
    });
  });
}

function exitCodeOf(error: { code?: string | number | null | undefined } | null): number {
  if (error === null) return 0;
  return typeof error.code === 'number' ? error.code : 1;
}
