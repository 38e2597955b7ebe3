/** What a command may touch of the process it runs in. Tests give it strings; `main.ts` gives it the real thing. */
export interface Io {
  /** The asked-for result, and nothing else. */
  readonly out: (text: string) => void;
  /** Progress, logs and errors. */
  readonly err: (text: string) => void;
  /** The terminal on stderr, when there is one: then a live view is drawn there. */
  readonly terminal: NodeJS.WriteStream | undefined;
  /** Whether stdout is a terminal: then reports are coloured and fitted to its width. */
  readonly outIsTerminal: boolean;
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string | undefined;
  /** The first Ctrl-C or SIGTERM aborts this; the second ends the process. */
  readonly stop: AbortSignal;
  /** Asks a person; undefined when nobody is there to answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

/** Ends a command with a message for its user: no stack. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exitCode: number;
  readonly hint: string | undefined;

  constructor(exitCode: number, message: string, hint?: string) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}
