import type { SandboxTime } from '../../time.ts';

export interface WorkQueue {
  /** Works on the key after this time. One key waits only once, for the earliest of its times: a later one is forgotten. */
  add(key: string, ms: number): void;
  forget(key: string): void;
  clear(): void;
}

/** What is to be looked at again, and when. */
export function createWorkQueue(time: SandboxTime, work: (key: string) => void): WorkQueue {
  const waiting = new Map<string, { at: number; cancel: () => void }>();
  const forget = (key: string): void => {
    waiting.get(key)?.cancel();
    waiting.delete(key);
  };
  return {
    add(key, ms) {
      const at = time.now() + ms;
      const known = waiting.get(key);
      if (known !== undefined && known.at <= at) return;
      known?.cancel();
      const run = (): void => {
        waiting.delete(key);
        work(key);
      };
      waiting.set(key, { at, cancel: time.after(ms, run) });
    },
    forget,
    clear() {
      for (const key of [...waiting.keys()]) forget(key);
    },
  };
}
