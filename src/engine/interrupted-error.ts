/** Why a wait inside a run was given up: not an error of anybody's. */
export class InterruptedError extends Error {
  override readonly name: string = 'InterruptedError';
}

/** Somebody else goes on with the run: what it has asked the cluster for is theirs to wait for. */
export class PassedOnError extends InterruptedError {
  override readonly name = 'PassedOnError';
}
