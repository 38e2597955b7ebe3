/** Why a wait inside a run was given up: not an error of anybody's. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}
