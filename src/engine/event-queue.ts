import type { RunEvent, RunEventBody } from '../core/run/events.ts';
import type { Clock } from './ports.ts';

/** Many steps tell, one reader listens: turns concurrent calls of `emit` into one ordered stream of events. */
export interface EventQueue {
  readonly emit: Emit;
  /** Resolves when something was told or `wake` was called since the last call. */
  readonly next: () => Promise<void>;
  readonly wake: () => void;
  /** Takes what was told so far. */
  readonly drain: () => RunEvent[];
}

export type Emit = (body: RunEventBody) => void;

export function createEventQueue(clock: Clock): EventQueue {
  let events: RunEvent[] = [];
  let pending = false;
  let notify: (() => void) | undefined;
  const wake = (): void => {
    pending = true;
    notify?.();
  };
  return {
    wake,
    emit(body) {
      events.push({ at: new Date(clock.now()).toISOString(), ...body });
      wake();
    },
    drain() {
      const taken = events;
      events = [];
      return taken;
    },
    next() {
      return new Promise((resolve) => {
        notify = () => {
          notify = undefined;
          pending = false;
          resolve();
        };
        if (pending) notify();
      });
    },
  };
}
