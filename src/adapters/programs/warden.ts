import { spawn } from 'node:child_process';
import type { Family } from './process-family.ts';

/** Watches over a program for the case that we are killed and cannot end it ourselves. */
export interface Warden {
  /** Not needed any more: the program's family is over. */
  dismiss(): void;
}

/** Posts a shell that hears of our end, because its input ends with us; then it ends the family and removes the folder. Costs a process and no time. */
export function postWarden({ leader, mark }: Family, litter = ''): Warden {
  const shell = spawn('/bin/sh', ['-c', watch, 'tiphys-warden', String(leader), mark, litter], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    // Whoever kills our process group must not take the warden along.
    detached: true,
  });
  // Where there is no shell there is no warden; the program runs all the same.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return { dismiss: () => void shell.kill('SIGKILL') };
}

/**
 * `read` returns when the other end of the pipe is closed, by whatever death. The family is its group, and who carries its mark.
 * A number that /proc shows may be gone a moment later; nobody hears that signal.
 */
const watch = `
while read -r _; do :; done
tell() {
  kill -s "$1" -- "-$2" 2>/dev/null
  for file in $(grep -lsz "^$3=" /proc/[0-9]*/environ); do
    pid="\${file#/proc/}"
    kill -s "$1" "\${pid%/environ}" 2>/dev/null
  done
}
tell TERM "$1" "$2"
sleep 5
tell KILL "$1" "$2"
[ -z "$3" ] || rm -rf -- "$3"
`;
