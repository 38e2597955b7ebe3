import type { Clock, Lease, LeaseAnswer, LeaseHolder } from '../../engine/ports.ts';
import { asOperatorError } from '../kubernetes/as-operator-error.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { ApiError } from '../kubernetes/errors.ts';

export interface LeaseOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly platform: string;
}

const durationSeconds = 30;
const renewEveryMs = 10_000;

interface LeaseObject {
  readonly metadata: { readonly name: string; readonly uid?: string; readonly resourceVersion: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
}

/** One run at a time, through a coordination.k8s.io Lease every other tool can see. */
export function createLease(options: LeaseOptions): Lease {
  const { client, clock } = options;
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${options.namespace}/leases`;
  const path = `${collection}/tiphys-${options.platform}`;
  const now = (): string => new Date(clock.now()).toISOString().replace('Z', '000Z');

  async function take(holder: string, signal: AbortSignal): Promise<LeaseAnswer> {
    for (;;) {
      const current = await client.get<LeaseObject>(path, signal);
      const by = current === undefined ? undefined : holderOf(current);
      if (by !== undefined && by.holder !== holder && by.expiresAt > clock.now()) return { taken: false, by };
      if (await write(holder, current, signal))
        return { taken: true, ...(by === undefined || by.holder === holder ? {} : { takenOverFrom: by.holder }) };
      // Lost the race for it: look who was faster.
    }
  }

  async function write(holder: string, current: LeaseObject | undefined, signal: AbortSignal): Promise<boolean> {
    const spec = {
      holderIdentity: holder,
      leaseDurationSeconds: durationSeconds,
      acquireTime: now(),
      renewTime: now(),
    };
    try {
      if (current === undefined) await client.create(collection, leaseObject(options, spec), signal);
      else
        await client.mergePatch(
          path,
          { metadata: { resourceVersion: current.metadata.resourceVersion }, spec },
          signal,
        );
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return false;
      throw error;
    }
  }

  async function renew(holder: string, signal: AbortSignal): Promise<string | undefined> {
    const current = await client.get<LeaseObject>(path, signal);
    const by = current === undefined ? undefined : holderOf(current);
    if (current === undefined || by?.holder !== holder)
      return `the run lease was taken by ${by?.holder ?? 'nobody: it was deleted'}`;
    try {
      await client.mergePatch(
        path,
        { metadata: { resourceVersion: current.metadata.resourceVersion }, spec: { renewTime: now() } },
        signal,
      );
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && (error.status === 409 || error.status === 404)) return renew(holder, signal);
      throw error;
    }
  }

  async function keep(holder: string, lost: (message: string) => void, signal: AbortSignal): Promise<void> {
    let renewedAt = clock.now();
    while (!signal.aborted) {
      try {
        await clock.sleep(renewEveryMs, signal);
        const message = await renew(holder, signal);
        if (message !== undefined) return lost(message);
        renewedAt = clock.now();
      } catch (error) {
        if (signal.aborted) return;
        // Trouble is not loss: the lease is ours until it has run out.
        if (clock.now() - renewedAt < durationSeconds * 1000) continue;
        return lost(`the run lease could not be renewed: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  return {
    take: (holder, signal) => asOperatorError('take the run lease', () => take(holder, signal)),
    keep,
    async give(holder, signal) {
      const current = await client.get<LeaseObject>(path, signal);
      if (current === undefined || current.spec?.holderIdentity !== holder) return;
      await client
        .delete(path, { preconditions: { resourceVersion: current.metadata.resourceVersion } }, signal)
        .catch(unlessMoved);
    },
    holder: (signal) =>
      asOperatorError('read the run lease', async () => {
        const current = await client.get<LeaseObject>(path, signal);
        const by = current === undefined ? undefined : holderOf(current);
        return by === undefined || by.expiresAt <= clock.now() ? undefined : by;
      }),
  };
}

function leaseObject(options: LeaseOptions, spec: object): object {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: `tiphys-${options.platform}`,
      namespace: options.namespace,
      labels: { 'app.kubernetes.io/managed-by': 'tiphys', 'tiphys.dev/platform': options.platform },
    },
    spec,
  };
}

function holderOf({ spec }: LeaseObject): LeaseHolder | undefined {
  if (spec?.holderIdentity === undefined || spec.holderIdentity === '') return undefined;
  const renewed = Date.parse(spec.renewTime ?? spec.acquireTime ?? '');
  const expiresAt = Number.isNaN(renewed) ? 0 : renewed + (spec.leaseDurationSeconds ?? durationSeconds) * 1000;
  return { holder: spec.holderIdentity, since: spec.acquireTime ?? 'an unknown time', expiresAt };
}

/** Somebody else has the lease by now, or it is gone: not ours to give. */
function unlessMoved(error: unknown): void {
  if (!(error instanceof ApiError && (error.status === 409 || error.status === 404))) throw error;
}
