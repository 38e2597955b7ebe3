import type { Clock, Lease, LeaseAnswer, LeaseHolder } from '../../engine/ports.ts';
import { asOperatorError } from '../kubernetes/as-operator-error.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { ApiError } from '../kubernetes/errors.ts';
import { createLeaseObject, durationSeconds, type LeaseObject } from './lease-object.ts';

export interface LeaseOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly platform: string;
}

const renewEveryMs = 10_000;

/** One run at a time, through a coordination.k8s.io Lease every other tool can see. */
export function createLease(options: LeaseOptions): Lease {
  const { client, clock } = options;
  const object = createLeaseObject(options);

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
    take: (holder, signal) => asOperatorError('take the run lease', () => take(holder, signal)),
    keep: (holder, lost, signal) => keepRenewing(clock, { renew: () => renew(holder, signal), lost }, signal),
    async give(holder, signal) {
      const current = await object.read(signal);
      if (current === undefined || current.spec?.holderIdentity !== holder) return;
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
  readonly renew: () => Promise<string | undefined>;
  readonly lost: (message: string) => void;
}

async function keepRenewing(clock: Clock, { renew, lost }: Keeping, signal: AbortSignal): Promise<void> {
  let renewedAt = clock.now();
  while (!signal.aborted) {
    try {
      await clock.sleep(renewEveryMs, signal);
      const message = await renew();
      if (message !== undefined) return lost(message);
      renewedAt = clock.now();
    } catch (error) {
      if (signal.aborted) return;
      // Trouble is not loss: the lease is ours until it has run out.
      if (clock.now() - renewedAt < durationSeconds * 1000) continue;
      const reason = error instanceof Error ? error.message : String(error);
      return lost(`the run lease could not be renewed: ${reason}`);
    }
  }
}

function holderOf(lease: LeaseObject | undefined): LeaseHolder | undefined {
  const holder = lease?.spec?.holderIdentity ?? '';
  if (holder === '') return undefined;
  const { acquireTime = 'an unknown time', renewTime = acquireTime, leaseDurationSeconds } = lease?.spec ?? {};
  const renewed = Date.parse(renewTime);
  const lastsMs = (leaseDurationSeconds ?? durationSeconds) * 1000;
  return { holder, since: acquireTime, expiresAt: Number.isNaN(renewed) ? 0 : renewed + lastsMs };
}

/** Somebody else has the lease by now, or it is gone: not ours to give. */
function unlessMoved(error: unknown): void {
  if (!(error instanceof ApiError && (error.status === 409 || error.status === 404))) throw error;
}
