/** A mistake in a file that its author can mend. Problems are collected and shown together; nothing runs while one error stands. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly at: Position;
  /** One sentence: what is wrong. */
  readonly what: string;
  /** One sentence: what to do about it. */
  readonly remedy: string;
}

/** Where something stands in a file; line and column start at 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
