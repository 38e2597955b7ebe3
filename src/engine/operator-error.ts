/** Something the person at the keyboard can act on now: what happened and what to do. Anything else that is thrown is a bug and keeps its stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly hint: string;
  readonly exitCode: 1 | 3;
  /** The cluster did not answer: whoever can wait may try again. */
  readonly mayPass: boolean;
  /** The cluster will not have it, however often it is asked: a right is missing. */
  readonly isFinal: boolean;

  constructor(
    message: string,
    options: { hint: string; exitCode?: 1 | 3; mayPass?: boolean; isFinal?: boolean; cause?: unknown },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? 1;
    this.mayPass = options.mayPass ?? false;
    this.isFinal = options.isFinal ?? false;
  }
}
