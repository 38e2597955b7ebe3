/** Something a person can mend: a sentence and what to do. */
export class TestbedError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'TestbedError';
    this.hint = hint;
  }
}
