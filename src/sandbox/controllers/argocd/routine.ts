import type { SandboxTime } from '../../time.ts';

/** What a routine waits for: some time, or the next sign that something it cares about has changed. */
export type Pause = { readonly ms: number } | 'change';

export type Steps = Generator<Pause, void, void>;

export interface Routine {
  readonly cancel: () => void;
  /** Something has changed: goes on if that is what it waits for, after the time Argo CD needs to notice. */
  readonly wake: () => void;
}

/** Runs steps that pause, on cluster time and without promises, so that the order of events is the same every time. */
export function startRoutine(time: SandboxTime, steps: Steps, noticeMs: () => number): Routine {
  let cancelTimer = (): void => {};
  let waitsForChange = false;
  let over = false;

  function advance(): void {
    if (over) return;
    waitsForChange = false;
    const { value, done } = steps.next();
    if (done || value === undefined) over = true;
    else if (value === 'change') waitsForChange = true;
    else cancelTimer = time.after(value.ms, advance);
  }

  advance();
  return {
    cancel() {
      over = true;
      cancelTimer();
    },
    wake() {
      if (over || !waitsForChange) return;
      waitsForChange = false;
      cancelTimer = time.after(noticeMs(), advance);
    },
  };
}
