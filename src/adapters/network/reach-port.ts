import { connect } from 'node:net';
import { inTime, linkedAbort } from '../kubernetes/abort.ts';
import type { Network } from './reach.ts';
import { type Unreached, whyUnreached } from './why-unreached.ts';

export interface PortOrder {
  readonly host: string;
  readonly port: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** Somebody listens; an SSH server says what it is. */
export interface PortReached {
  readonly reached: true;
  readonly greeting: string;
  readonly milliseconds: number;
}

/** Connects to a port and waits for the first line, as SSH servers send one. HTTP proxies do not lead there. */
export async function reachPort(network: Pick<Network, 'clock'>, order: PortOrder): Promise<PortReached | Unreached> {
  const { clock } = network;
  const startedAt = clock.now();
  const attempt = linkedAbort(order.signal);
  try {
    const greeting = await inTime(clock, order.deadlineMs, greetingOf(order, attempt.signal));
    return { reached: true, greeting, milliseconds: clock.now() - startedAt };
  } catch (error) {
    if (order.signal.aborted) throw order.signal.reason;
    const name = order.host.includes(':') ? `[${order.host}]` : order.host;
    return whyUnreached(error, new URL(`ssh://${name}:${order.port}`), undefined);
  } finally {
    attempt.abort(finished);
    attempt.release();
  }
}

const finished = new Error('asked and answered');

function greetingOf({ host, port }: PortOrder, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const end = (): void => void socket.destroy();
    signal.addEventListener('abort', end, { once: true });
    socket.setEncoding('utf8');
    socket.once('data', (text: string) => {
      resolve(text.split(/[\r\n]/, 1)[0] ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('it hung up without a word')));
  });
}
