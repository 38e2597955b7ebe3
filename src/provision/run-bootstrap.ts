import { linkedAbort } from '../adapters/kubernetes/abort.ts';
import { runProgram } from '../adapters/programs/run-program.ts';
import { finish } from '../core/bootstrap/finish.ts';
import { hear, silence } from '../core/bootstrap/listen.ts';
import { planBootstrap } from '../core/bootstrap/plan-bootstrap.ts';
import type { RunEvent } from '../core/run/events.ts';
import { createEventQueue, type Emit } from '../engine/event-queue.ts';
import type { Clock } from '../engine/ports.ts';
import { bootstrapVars, type VarsOrder } from './bootstrap-vars.ts';
import { lastWords } from './last-words.ts';
import type { PrivateFolder } from './private-folder.ts';
import { ansibleEnvironment, type Variables } from './program-environment.ts';
import { redactor } from './redact.ts';

export interface BootstrapOrder extends VarsOrder {
  readonly runId: string;
  /** The ansible-playbook to run. */
  readonly playbook: string;
  /** The text of a kubeconfig with one context. */
  readonly kubeconfig: string;
  /** What must never be told, whoever says it. */
  readonly secrets: readonly string[];
  /** For the kubeconfig and what else the playbook reads; whoever opened it removes it. */
  readonly folder: PrivateFolder;
  readonly env: Variables;
  readonly clock: Clock;
  /** A file with more variables of the roles; what the platform's files say wins over it. */
  readonly moreVars?: string;
  /** For the whole playbook. */
  readonly deadlineMs: number;
  /** What Ansible prints for people, line by line. */
  readonly onLine?: (line: string) => void;
}

/** Runs the playbook, and tells it as a run: its steps are the roles. Whatever happens to it, the run has an end, and nothing it started goes on. */
export async function* runBootstrap(order: BootstrapOrder, signal: AbortSignal): AsyncGenerator<RunEvent> {
  const queue = createEventQueue(order.clock);
  const stop = linkedAbort(signal);
  let over = false;
  const plan = planBootstrap(order.platform.name);
  queue.emit({ type: 'run-started', runId: order.runId, plan, engine: 'ansible', order: 'edges', parallelism: 1 });
  queue.emit({ type: 'phase-started', phase: 'run', message: 'Ansible runs the roles of the bootstrap' });
  const work = play(order, queue.emit, stop.signal).finally(() => {
    over = true;
    queue.wake();
  });
  // Its error is thrown below; nobody may call it unhandled before that.
  work.catch(() => undefined);
  try {
    while (!over) {
      await queue.next();
      yield* queue.drain();
    }
    yield* queue.drain();
    await work;
  } finally {
    // Whoever stops listening stops the run, too.
    stop.abort(new Error('nobody listens any more'));
    stop.release();
    await work.catch(() => undefined);
  }
}

async function play(order: BootstrapOrder, emit: Emit, signal: AbortSignal): Promise<void> {
  const { folder } = order;
  const vars = await folder.write('vars.json', JSON.stringify(bootstrapVars(order)));
  const kubeconfig = await folder.write('kubeconfig', order.kubeconfig);
  // The last one wins.
  const extra = order.moreVars === undefined ? [vars] : [order.moreVars, vars];
  const redact = redactor(order.secrets);
  const { bootstrap } = order.files;
  let listening = silence;
  const end = await runProgram({
    command: order.playbook,
    args: ['site.yml', '-i', 'inventories/local/hosts.yml', ...extra.flatMap((file) => ['-e', `@${file}`])],
    cwd: bootstrap,
    env: ansibleEnvironment(order.env, { bootstrap, kubeconfig, scratch: folder.path }),
    deadlineMs: order.deadlineMs,
    signal,
    litter: folder.path,
    onLine: (line) => order.onLine?.(redact(line)),
    onMessage: (line) => {
      const { state, told } = hear(listening, redact(line));
      listening = state;
      for (const event of told) emit(event);
    },
  });
  const said = lastWords(redact(end.err), redact(end.out));
  for (const event of finish(listening, { because: end.because, code: end.code, said })) emit(event);
}
