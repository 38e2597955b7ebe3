import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/adapters/clock/system-clock.ts';
import type { Component } from './component.ts';
import { markOf } from './marked-processes.ts';
import { probe } from './probe.ts';
import { endProcess, isRunning, startProcess } from './processes.ts';
import { type StartedProcess, type TestbedState, writeState } from './state.ts';
import { TestbedError } from './testbed-error.ts';

/** Starts what is not running and waits until all of it is ready. What runs already is left alone. */
export interface Starter {
  start(components: readonly Component[]): Promise<void>;
  /** Ends them first, if they run. */
  restart(components: readonly Component[]): Promise<void>;
  isRunning(component: Component): boolean;
  readonly started: readonly string[];
}

const deadlineMs = 120_000;
const graceMs = 4_000;

export function createStarter(state: TestbedState, environment: NodeJS.ProcessEnv): Starter {
  const processes: Record<string, StartedProcess> = { ...state.processes };
  const started: string[] = [];
  /** Where the words of the process that was started here begin in its log. */
  const logBegins = new Map<string, number>();

  function isAlive({ name }: Component): boolean {
    const known = processes[name];
    return known !== undefined && isRunning(known);
  }

  async function startOne(component: Component): Promise<void> {
    if (isAlive(component)) return;
    const { name, command, args } = component;
    const log = logFile(state, name);
    logBegins.set(name, existsSync(log) ? statSync(log).size : 0);
    const env = { ...environment, ...component.env, ...markOf(state.folder, name) };
    processes[name] = await startProcess({ command, args, cwd: state.folder, env, log }).catch((error: Error) => {
      throw new TestbedError(
        `${name} cannot be started: ${error.message}`,
        `It is ${command}; its log would be ${log}.`,
      );
    });
    if (!started.includes(name)) started.push(name);
    // At once: whatever happens next, `down` knows what to end. Before it, the mark tells.
    writeState({ ...state, processes });
  }

  async function waitUntilReady(component: Component): Promise<void> {
    const until = systemClock.now() + deadlineMs;
    for (;;) {
      const seen = await probe(component.ready, join(state.folder, 'pki/ca.crt'));
      if (seen === 'ready') return;
      const process = processes[component.name];
      const hasEnded = process === undefined || !isRunning(process);
      if (hasEnded || systemClock.now() > until) throw notReady(component.name, hasEnded ? undefined : seen.because);
      await systemClock.sleep(50);
    }
  }

  function notReady(name: string, because: string | undefined): TestbedError {
    const what = because === undefined ? 'ended' : `was not ready within ${deadlineMs / 1000} s (${because})`;
    const file = logFile(state, name);
    const tail = endOf(file, logBegins.get(name) ?? 0);
    return new TestbedError(`${name} ${what}. ${tail}`, `The whole log: ${file}`);
  }

  async function start(components: readonly Component[]): Promise<void> {
    for (const component of components) await startOne(component);
    await Promise.all(components.map(waitUntilReady));
  }

  return {
    started,
    isRunning: isAlive,
    start,
    async restart(components) {
      for (const { name } of components) {
        const known = processes[name];
        if (known !== undefined) await endProcess(known, graceMs);
      }
      await start(components);
    },
  };
}

/** Where a component writes its words. */
function logFile({ folder }: Pick<TestbedState, 'folder'>, component: string): string {
  return join(folder, 'log', `${component}.log`);
}

/** Not the words of one that ran before. */
function endOf(log: string, from: number): string {
  const words = existsSync(log) ? readFileSync(log).subarray(from).toString().trimEnd() : '';
  return words === ''
    ? 'It has written nothing into its log.'
    : `The end of its log:\n${words.split('\n').slice(-15).join('\n')}`;
}
