import type { Clock } from '../../engine/ports.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { ApiError } from '../kubernetes/errors.ts';

export const durationSeconds = 30;

export interface LeaseOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly platform: string;
  /** Where the run lives, so that whoever waits for it can find it: `laptop/4711`. */
  readonly identity?: string;
}

export interface LeaseObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
}

/** Reads and writes the Lease object; writes answer false when somebody else was faster. */
export function createLeaseObject({ client, clock, namespace, platform }: LeaseOptions) {
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const name = `tiphys-${platform}`;
  const path = `${collection}/${name}`;
  // Leases carry microseconds.
  const now = (): string => new Date(clock.now()).toISOString().replace('Z', '000Z');
  const labels = { 'app.kubernetes.io/managed-by': 'tiphys', 'tiphys.dev/platform': platform };

  function swap(current: LeaseObject, spec: object, signal: AbortSignal): Promise<unknown> {
    return client.mergePatch(path, { metadata: { resourceVersion: current.metadata.resourceVersion }, spec }, signal);
  }

  return {
    path,
    read: (signal: AbortSignal) => client.get<LeaseObject>(path, signal),
    write(holder: string, current: LeaseObject | undefined, signal: AbortSignal): Promise<boolean> {
      const spec = {
        holderIdentity: holder,
        leaseDurationSeconds: durationSeconds,
        acquireTime: now(),
        renewTime: now(),
      };
      if (current !== undefined) return unlessBeaten(swap(current, spec, signal));
      const metadata = { name, namespace, labels };
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
      return unlessBeaten(client.create(collection, lease, signal));
    },
    renew: (current: LeaseObject, signal: AbortSignal) => unlessBeaten(swap(current, { renewTime: now() }, signal)),
  };
}

async function unlessBeaten(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 409 || error.status === 404)) return false;
    throw error;
  }
}
