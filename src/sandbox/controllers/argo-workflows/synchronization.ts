import { sameJson } from '../../store/store.ts';
import { keyOf, withAwaited, withHeld } from './mutexes.ts';
import type { Operation } from './operation.ts';
import { stoppedMessage } from './shutdown.ts';
import type { MutexStatus } from './workflow.ts';
import { markWorkflow } from './workflow-phase.ts';

/** Must the Workflow wait for another to give up a mutex? Takes what it can get and says so in the status. */
export function waitsForMutex(operation: Operation): boolean {
  const { workflow, spec, status, mutexes, context } = operation;
  const wanted = spec.synchronization?.mutexes ?? [];
  if (wanted.length === 0) return false;
  const names = wanted.map(({ name, namespace = context.namespace }) => `${namespace}/Mutex/${name}`);
  const { waitsFor, free } = mutexes.acquire(workflow, names);
  const known = status.synchronization?.mutex;
  if (waitsFor === undefined) {
    note(operation, withHeld(known, keyOf(workflow), names));
    return false;
  }
  if (isTerminatedWhilePending(operation)) {
    mutexes.release(keyOf(workflow));
    markWorkflow(operation, 'Failed', stoppedMessage(operation));
    return true;
  }
  const holder = mutexes.holder(waitsFor);
  if (holder !== undefined) note(operation, withAwaited(known, waitsFor, holder));
  const phase = status.phase === undefined || status.phase === '' ? 'Pending' : status.phase;
  markWorkflow(operation, phase, `Waiting for ${waitsFor} lock. Lock status: ${free}/1`);
  return true;
}

function isTerminatedWhilePending({ spec, status }: Operation): boolean {
  return spec.shutdown === 'Terminate' && status.phase === 'Pending';
}

function note(operation: Operation, mutex: MutexStatus): void {
  if (sameJson(operation.status.synchronization?.mutex, mutex)) return;
  operation.status.synchronization = { mutex };
  operation.updated = true;
}
