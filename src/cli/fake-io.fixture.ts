import type { Io } from './io.ts';
import { run } from './run.ts';

/** What a command line left behind. */
export interface Told {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line without a process: what it would print, and its exit code. */
export async function tell(
  args: readonly string[],
  over: Partial<Io> & { readonly isExecutor?: boolean } = {},
): Promise<Told> {
  const { isExecutor = false, ...io } = over;
  let out = '';
  let err = '';
  const exitCode = await run(
    args,
    {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      terminal: undefined,
      outIsTerminal: false,
      columns: 100,
      env: {},
      cwd: process.cwd(),
      home: '/home/nobody',
      stop: new AbortController().signal,
      ask: undefined,
      ...io,
    },
    { isExecutor },
  );
  return { exitCode, out, err };
}
