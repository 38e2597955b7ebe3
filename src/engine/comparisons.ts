import { barrier } from './barrier.ts';
import type { World } from './ports.ts';

/**
 * Asks Argo CD for comparisons beside the gate. The gate does not stand still until one is answered, because a busy controller may
 * take seconds, and what the watch shows meanwhile counts, too.
 */
export interface Comparisons {
  /** When the last answer came, or the record spoke for itself; undefined before the first. */
  refreshedAt(): string | undefined;
  /** When the newest of those that were answered had been asked for; 0 before the first. */
  provenAt(): number;
  /** Asks for one, unless one is on its way. */
  ask(): void;
  /** Until the Application changes, a comparison is answered, or this time. */
  next(until: number): Promise<void>;
  /** Waits for nothing any more. */
  end(): void;
}

export interface ComparisonsOrder {
  readonly application: string;
  readonly deadline: number;
  readonly onAnswer: () => void;
  /** Whether the record itself shows that Argo CD has compared the Application since: then the first answer need not be waited for. */
  readonly speaksForItself: () => boolean;
}

export function createComparisons(
  world: World,
  { application, deadline, onAnswer, speaksForItself }: ComparisonsOrder,
  signal: AbortSignal,
): Comparisons {
  const over = new AbortController();
  let pending: Promise<void> | undefined;
  let refreshedAt: string | undefined;
  let provenAt = 0;

  async function compare(): Promise<void> {
    const askedAt = world.clock.now();
    const answer = await barrier(world, application, deadline, AbortSignal.any([signal, over.signal]));
    if ('refreshedAt' in answer) refreshedAt = answer.refreshedAt;
    // That it is gone is an answer, too.
    if (!('timedOut' in answer)) provenAt = askedAt;
    pending = undefined;
    onAnswer();
  }

  /** Until the Application changes, a comparison is answered, or this time. */
  async function changedOrAnswered(answer: Promise<void>, until: number): Promise<void> {
    const turn = new AbortController();
    const changed = world.argocd.changed(application, until, AbortSignal.any([signal, turn.signal]));
    try {
      await Promise.race([changed, answer]);
    } finally {
      turn.abort(answered);
    }
  }

  /** Nothing can be said before the first answer, unless the record speaks for itself. */
  async function firstWord(answer: Promise<void>): Promise<void> {
    while (pending === answer && world.clock.now() < deadline) {
      if (!speaksForItself()) await changedOrAnswered(answer, deadline);
      else {
        refreshedAt = new Date(world.clock.now()).toISOString();
        return onAnswer();
      }
    }
  }

  return {
    refreshedAt: () => refreshedAt,
    provenAt: () => provenAt,
    ask() {
      if (pending !== undefined) return;
      pending = compare();
      // Whoever waits next hears of it, and after the end nobody has to.
      pending.catch(() => undefined);
    },
    async next(until) {
      if (pending === undefined) return world.argocd.changed(application, until, signal);
      return refreshedAt === undefined ? firstWord(pending) : changedOrAnswered(pending, until);
    },
    end: () => over.abort(answered),
  };
}

const answered = new Error('the wait is over');
