import type { ObservedApplication } from '../core/plan/observed.ts';
import { virtualTime } from '../sandbox/time.ts';
import { InterruptedError } from './interrupted-error.ts';
import { OperatorError } from './operator-error.ts';
import type { ArgoCd, World } from './ports.ts';

/** A sync of ours that Argo CD has not looked at. */
export const asked = { operation: { step: 'web/1' } };
/** One that it is busy with. */
export const taken = { ...asked, lastOperation: { step: 'web/1', phase: 'Running', message: 'waiting for hook' } };
export const stopped = AbortSignal.abort(new InterruptedError('stopped'));

interface Behaviour {
  /** How many writes meet one of somebody else. */
  readonly conflicts?: number;
  readonly refuses?: boolean;
  readonly later?: { readonly atMs: number; readonly seen: object };
  /** How many requests to end it are written over by a pass that had begun before; the next one is heard after a second. */
  readonly overwrites?: number;
}

/** An Application, and an Argo CD that does nothing but what it is told to. */
export function cluster(first: object, { conflicts = 0, refuses = false, later, overwrites = 0 }: Behaviour = {}) {
  const time = virtualTime();
  const began = time.now();
  const now = (): number => time.now() - began;
  let gone = false;
  const on = { time, now, withdrawn: 0, terminated: 0, world: undefined as unknown as World };
  const argocd: Partial<ArgoCd> = {
    application() {
      if (gone) return {} as ObservedApplication;
      return (later !== undefined && now() >= later.atMs ? later.seen : first) as ObservedApplication;
    },
    async changed(_name, until, signal) {
      const atMs = later !== undefined && now() < later.atMs ? Math.min(began + later.atMs, until) : until;
      await time.sleep(atMs - time.now(), signal);
    },
    async withdraw() {
      if (refuses) throw new OperatorError('could not withdraw', { hint: '' });
      on.withdrawn += 1;
      gone = on.withdrawn > conflicts;
    },
    async terminate() {
      on.terminated += 1;
      if (on.terminated <= overwrites) return;
      void time.sleep(1_000).then(() => {
        gone = true;
      });
    },
  };
  on.world = { clock: time, argocd } as unknown as World;
  return on;
}
