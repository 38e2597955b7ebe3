import { isRunning } from './processes.ts';
import { playedProcesses } from './running-processes.ts';
import { readState, testbedNames } from './state.ts';

/** Every testbed and its processes, a line each. */
export function describeTestbeds(home: string, only: string | undefined): string[] {
  const names = only === undefined ? testbedNames(home) : [only];
  const lines = names.flatMap((name) => describeOne(home, name));
  return lines.length > 0 ? lines : ['no testbed: npm run testbed -- up makes one'];
}

function describeOne(home: string, name: string): string[] {
  const state = readState(home, name);
  if (state === undefined) return [`${name}: none`];
  const processes = [...Object.entries(state.processes), ...playedProcesses(state.folder)];
  const running = processes.filter(([, started]) => isRunning(started));
  const word = running.length === 0 ? 'down' : running.length === processes.length ? 'up' : 'broken: up again heals it';
  return [
    `${name}: ${word} · ${state.empty ? 'empty, for charts of ' : ''}Argo CD ${state.argocd} · https://127.0.0.1:${state.ports.api} · ${state.folder}`,
    ...processes.map(([component, started]) => {
      const life = isRunning(started) ? `running, pid ${started.pid}` : 'not running';
      return `  ${component.padEnd(42)}${life}`;
    }),
  ];
}
