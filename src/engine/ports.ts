/** Time as the engine sees it: real, scaled or virtual. Nothing in the engine or the adapters reads a clock or sets a timer in another way. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
