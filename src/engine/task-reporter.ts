import type { AgentWorld, TaskResult } from './agent-ports.ts';
import { OperatorError } from './operator-error.ts';

/** Tells the controller how the tasks of one Workflow go. */
export interface TaskReporter {
  /** Now and then; asked for its words only when it is time to speak. */
  progress(id: string, say: () => TaskResult): void;
  /** At once, together with what ended at the same moment; resolves when it is written. */
  end(id: string, result: TaskResult): Promise<void>;
  close(): Promise<void>;
}

/** Each word costs a write of the whole Workflow by the controller. */
const speakEveryMs = 2_000;
const tryAgainMs = 1_000;

export function createTaskReporter(
  { taskSets, clock, log }: Pick<AgentWorld, 'taskSets' | 'clock' | 'log'>,
  workflow: string,
  signal: AbortSignal,
): TaskReporter {
  const news = new Map<string, () => TaskResult>();
  /** Words that stand in the TaskSet: the controller copies them again and again until they are taken back. */
  const standing = new Set<string>();
  const ended = new Map<string, TaskResult>();
  let ending: Promise<void> | undefined;

  let last: Promise<void> = Promise.resolve();

  /** One after the other: a word that arrived after the end of its task would leave it running for ever. */
  function write(results: ReadonlyMap<string, TaskResult | undefined>): Promise<void> {
    const next = (): Promise<void> => writeNow(results);
    last = last.then(next, next);
    return last;
  }

  async function writeNow(results: ReadonlyMap<string, TaskResult | undefined>): Promise<void> {
    for (;;) {
      try {
        await taskSets.report(workflow, results, signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof OperatorError)) throw error;
        log(`${workflow}: ${error.message}; trying again`);
        await clock.sleep(tryAgainMs, signal).catch(() => undefined);
      }
    }
  }

  async function writeEnds(): Promise<void> {
    // One breath: steps that end together are one write.
    await clock.sleep(1, signal);
    ending = undefined;
    const results = new Map(ended);
    ended.clear();
    for (const id of results.keys()) {
      news.delete(id);
      standing.delete(id);
    }
    await write(results);
  }

  async function speak(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(speakEveryMs, signal);
      const old = [...standing].filter((id) => !news.has(id));
      const words = [...news].map(([id, say]) => [id, say()] as const);
      news.clear();
      for (const id of old) standing.delete(id);
      for (const [id] of words) standing.add(id);
      const results = new Map([...old.map((id) => [id, undefined] as const), ...words]);
      if (results.size > 0) await write(results);
    }
  }

  const speaking = speak().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });

  return {
    progress: (id, say) => {
      if (!ended.has(id)) news.set(id, say);
    },
    end(id, result) {
      ended.set(id, result);
      ending ??= writeEnds();
      return ending.catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    },
    close: () => speaking,
  };
}
