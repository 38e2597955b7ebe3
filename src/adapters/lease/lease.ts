import type { Clock, Lease, LeaseAnswer, LeaseHolder } from '../../engine/ports.ts';
import { inTime, linkedAbort } from '../kubernetes/abort.ts';
import { asOperatorError } from '../kubernetes/as-operator-error.ts';
import { ApiError } from '../kubernetes/errors.ts';
import { createLeaseObject, durationSeconds, type LeaseObject, type LeaseOptions } from './lease-object.ts';

const renewEveryMs = 10_000;
const attemptMs = 5_000;
const tryAgainMs = 1_000;

/** One run at a time, through a coordination.k8s.io Lease every other tool can see. */
export function createLease(options: LeaseOptions): Lease {
  const { client, clock } = options;
  const object = createLeaseObject(options);
  const full = (run: string): string => (options.identity === undefined ? run : `${run}@${options.identity}`);

  async function take(holder: string, signal: AbortSignal): Promise<LeaseAnswer> {
    for (;;) {
      const current = await object.read(signal);
      const by = holderOf(current);
      const isForeign = by !== undefined && by.holder !== holder;
      if (isForeign && by.expiresAt > clock.now()) return { taken: false, by };
      if (await object.write(holder, current, signal)) {
        return { taken: true, ...(isForeign ? { takenOverFrom: by.holder } : {}) };
      }
      // Lost the race for it: look who was faster.
    }
  }

  /** A sentence when the lease is not ours any more. */
  async function renew(holder: string, signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      const current = await object.read(signal);
      if (current === undefined) return 'the run lease was deleted';
      const by = holderOf(current)?.holder;
      if (by !== holder) return `the run lease was taken by ${by ?? 'nobody'}`;
      if (await object.renew(current, signal)) return undefined;
    }
  }

  return {
    take: (run, signal) => asOperatorError('take the run lease', () => take(full(run), signal)),
    keep: (run, lost, signal) => keepRenewing(clock, { renew: (until) => renew(full(run), until), lost }, signal),
    async give(run, signal) {
      const current = await object.read(signal);
      if (current === undefined || current.spec?.holderIdentity !== full(run)) return;
      const { resourceVersion } = current.metadata;
      await client.delete(object.path, { preconditions: { resourceVersion } }, signal).catch(unlessMoved);
    },
    holder: (signal) =>
      asOperatorError('read the run lease', async () => {
        const by = holderOf(await object.read(signal));
        return by === undefined || by.expiresAt <= clock.now() ? undefined : by;
      }),
  };
}

interface Keeping {
  readonly renew: (signal: AbortSignal) => Promise<string | undefined>;
  readonly lost: (message: string) => void;
}

async function keepRenewing(clock: Clock, { renew, lost }: Keeping, signal: AbortSignal): Promise<void> {
  let renewedAt = clock.now();
  let pauseMs = renewEveryMs;
  while (!signal.aborted) {
    const runsOutAt = renewedAt + lastsMs;
    try {
      await clock.sleep(Math.min(pauseMs, runsOutAt - clock.now()), signal);
      const askedAt = clock.now();
      const message = await inTimeOf(clock, Math.min(runsOutAt, askedAt + attemptMs), renew, signal);
      if (message !== undefined) return lost(message);
      renewedAt = askedAt;
      pauseMs = renewEveryMs;
    } catch (error) {
      if (signal.aborted) return;
      pauseMs = tryAgainMs;
      // Trouble is not loss: the lease is ours until it has run out.
      if (clock.now() < runsOutAt) continue;
      const reason = error instanceof Error ? error.message : String(error);
      return lost(`the run lease could not be renewed: ${reason}`);
    }
  }
}

const lastsMs = durationSeconds * 1000;

/** The client would retry with longer and longer pauses, and beyond the end of the lease: by then another run may have it. */
async function inTimeOf<T>(
  clock: Clock,
  until: number,
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const attempt = linkedAbort(signal);
  try {
    return await inTime(clock, Math.max(0, until - clock.now()), work(attempt.signal));
  } finally {
    attempt.abort(ranOut);
    attempt.release();
  }
}

const ranOut = new Error('the lease ran out');

function holderOf(lease: LeaseObject | undefined): LeaseHolder | undefined {
  const { holderIdentity: holder = '', acquireTime, renewTime, leaseDurationSeconds } = lease?.spec ?? {};
  if (holder === '') return undefined;
  const renewed = Date.parse(renewTime ?? acquireTime ?? '');
  const lastsMs = (leaseDurationSeconds ?? durationSeconds) * 1000;
  const expiresAt = Number.isNaN(renewed) ? 0 : renewed + lastsMs;
  return { holder, since: acquireTime ?? 'an unknown time', expiresAt };
}

/** Somebody else has the lease by now, or it is gone: not ours to give. */
function unlessMoved(error: unknown): void {
  if (!(error instanceof ApiError && (error.status === 409 || error.status === 404))) throw error;
}
