import type { Observed } from '../core/plan/observed.ts';
import type { Platform } from '../core/platform/platform.ts';
import type { RunEvent } from '../core/run/events.ts';
import { isOver } from '../core/workflow/workflow-view.ts';
import { createEventQueue, type Emit } from './event-queue.ts';
import { InterruptedError, PassedOnError } from './interrupted-error.ts';
import { OperatorError } from './operator-error.ts';
import type { World } from './ports.ts';

/** What a run needs to know about itself: where to tell, when to stop, and why it had to. */
export interface RunControl {
  readonly emit: Emit;
  /** Aborted by the caller, by the run's time-out or by a lost lease. */
  readonly stop: AbortSignal;
  readonly timedOut: () => boolean;
  readonly leaseLost: () => boolean;
  /** Aborted when somebody else has the lease, also where the run had been stopped before. */
  readonly lost: AbortSignal;
  readonly loseLease: (message: string) => void;
  /** The lease is somebody else's to give back from now on: the run goes on without us. */
  readonly leaveLease: () => void;
  /** Aborted when the lease was left. */
  readonly leaseLeft: AbortSignal;
}

/** Runs a use case and yields what it tells, in order, until it ends. What it throws is thrown here, after the events before it. */
export async function* tellRun(
  world: World,
  limits: { readonly stop: AbortSignal; readonly runTimeoutMs: number | undefined },
  use: (control: RunControl) => Promise<void>,
): AsyncGenerator<RunEvent> {
  const queue = createEventQueue(world.clock);
  const stopping = new AbortController();
  let timedOut = false;
  const leaving = new AbortController();
  const losing = new AbortController();
  const interrupt = (because: string, reason = new InterruptedError(because)): void => {
    if (stopping.signal.aborted) return;
    queue.emit({ type: 'run-interrupted', because });
    stopping.abort(reason);
  };
  const onStop = (): void => interrupt('stopped on request; running syncs are left to Argo CD');
  if (limits.stop.aborted) onStop();
  limits.stop.addEventListener('abort', onStop, { once: true });
  const timer = new AbortController();
  const onTimeout = (): void => {
    timedOut = true;
    interrupt(`the run’s time-out of ${Math.round((limits.runTimeoutMs ?? 0) / 1000)} s was reached`);
  };
  if (limits.runTimeoutMs !== undefined)
    void world.clock.sleep(limits.runTimeoutMs, timer.signal).then(onTimeout, () => undefined);
  const control: RunControl = {
    emit: queue.emit,
    stop: stopping.signal,
    timedOut: () => timedOut,
    leaseLost: () => losing.signal.aborted,
    lost: losing.signal,
    leaveLease: () => leaving.abort(),
    leaseLeft: leaving.signal,
    loseLease(message) {
      losing.abort(new PassedOnError(message));
      queue.emit({ type: 'lease-lost', message });
      interrupt(message, new PassedOnError(message));
    },
  };
  let failure: { error: unknown } | undefined;
  let done = false;
  const work = use(control)
    .catch((error: unknown) => {
      failure = { error };
    })
    .finally(() => {
      done = true;
      queue.wake();
    });
  try {
    for (;;) {
      yield* queue.drain();
      if (done) break;
      await queue.next();
    }
    await work;
    // The end may have come while the reader was busy with what was told before it.
    yield* queue.drain();
    if (failure !== undefined) throw failure.error;
  } finally {
    timer.abort();
    limits.stop.removeEventListener('abort', onStop);
  }
}

/** INV-2: one run at a time. Takes the lease, keeps it while the work goes on, gives it back. */
export async function withLease(
  world: World,
  control: RunControl,
  runId: string,
  work: () => Promise<void>,
): Promise<void> {
  await noOtherWorkflow(world, runId, control.stop);
  const answer = await world.lease.take(runId, control.stop);
  if (!answer.taken) {
    const seconds = Math.max(0, Math.ceil((answer.by.expiresAt - world.clock.now()) / 1000));
    throw new OperatorError(`another run holds the lease: ${answer.by.holder}, since ${answer.by.since}`, {
      hint: `Wait for it to end. If that run is dead its lease runs out in ${seconds} s, and the same command then takes over.`,
    });
  }
  control.emit({
    type: 'lease-taken',
    holder: runId,
    ...(answer.takenOverFrom === undefined ? {} : { takenOverFrom: answer.takenOverFrom }),
  });
  const keeping = new AbortController();
  // Who only follows the run must not end it because he could not renew a lease that others keep.
  const until = AbortSignal.any([keeping.signal, control.leaseLeft]);
  const kept = world.lease.keep(runId, control.loseLease, until);
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OperatorError) && !control.stop.aborted) throw error;
    // A run that has begun ends with a report, whatever stopped it.
    endEarly(control, error);
  } finally {
    keeping.abort();
    await kept;
    if (!control.leaseLost() && !control.leaseLeft.aborted) await giveBack(world, control, runId);
  }
}

/** A Workflow is a run even while nobody renews its lease: between two pods, or when its agent is down. */
async function noOtherWorkflow(world: World, runId: string, signal: AbortSignal): Promise<void> {
  const all = await world.workflows.all(signal);
  const other = all.find((view) => !isOver(view) && view.labels['tiphys.dev/run'] !== runId);
  if (other === undefined) return;
  const { namespace, name, createdAt } = other;
  throw new OperatorError(`another run is going: Workflow ${namespace}/${name}, since ${createdAt}`, {
    hint: `\`tiphys attach\` follows it; \`argo stop ${name} -n ${namespace}\` ends it.`,
  });
}

function endEarly(control: RunControl, error: unknown): void {
  if (error instanceof OperatorError) control.emit({ type: 'warning', message: error.message, hint: error.hint });
  const exitCode = control.timedOut() ? 4 : error instanceof OperatorError ? error.exitCode : 1;
  control.emit({ type: 'run-finished', outcome: exitCode === 4 ? 'timeout' : 'failed', exitCode });
}

/** Giving the lease back is a courtesy: it runs out by itself. */
export async function giveBack(world: World, control: Pick<RunControl, 'emit'>, runId: string): Promise<void> {
  try {
    await world.lease.give(runId, new AbortController().signal);
  } catch (error) {
    control.emit({
      type: 'warning',
      message: `the run lease could not be given back (${error instanceof Error ? error.message : String(error)}); it runs out by itself`,
    });
  }
}

/** Without its root nothing can be created, and every app would fail with the same sentence: say it once, before anything is written. */
export function missingRoot(platform: Platform, observed: Observed): void {
  const root = platform.root;
  if (root === undefined || observed.applications.has(root)) return;
  if ([...platform.apps.values()].every((app) => observed.applications.has(app.application))) return;
  throw new OperatorError(`the root Application ${root} is not in the cluster`, {
    hint: `Apply its manifest while a deny sync window of its AppProject names it, so that Argo CD does not start everything at once; the README shows how, under “A real cluster”.`,
  });
}
