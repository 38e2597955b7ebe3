import { PassedOnError } from './interrupted-error.ts';
import { OperatorError } from './operator-error.ts';
import type { World } from './ports.ts';

/** The lease of a run, renewed for as long as its steps are done here. */
export interface KeptLease {
  /** Aborted when somebody else has it. */
  readonly lost: AbortSignal;
  /** It is renewed no longer. */
  letGo(): Promise<void>;
}

/** Throws an OperatorError when another run has it. */
export async function takeLease(
  { lease }: World,
  runId: string,
  lost: (message: string) => void,
  signal: AbortSignal,
): Promise<KeptLease> {
  const answer = await lease.take(runId, signal);
  if (!answer.taken) {
    throw new OperatorError(`another run holds the lease: ${answer.by.holder}, since ${answer.by.since}`, {
      hint: 'Wait for it to end, then run the same command again.',
    });
  }
  const keeping = new AbortController();
  const passedOn = new AbortController();
  const pass = (message: string): void => {
    passedOn.abort(new PassedOnError(message));
    lost(message);
  };
  const kept = lease.keep(runId, pass, keeping.signal);
  const letGo = async (): Promise<void> => {
    keeping.abort();
    await kept;
  };
  return { lost: passedOn.signal, letGo };
}
