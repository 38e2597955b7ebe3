import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Architecture, here } from '../../images/executor/assembly/contents.ts';

/** What makes the kernel run programs of another machine, as a line that it is told; undefined when they are this machine's own. */
export function emulation(architecture: Architecture): string | undefined {
  if (architecture === here()) return undefined;
  const { machine, number } = machines[architecture];
  const program = findEmulator(machine);
  if (program === undefined) throw new Error(`qemu-${machine} is missing`);
  const bytes = (...numbers: number[]): string => numbers.map((n) => `\\x${n.toString(16).padStart(2, '0')}`).join('');
  const mark = bytes(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, number, 0);
  // The kind of system is not looked at, and shared programs (3) are as good as others (2).
  const mask = bytes(...Array<number>(7).fill(255), 0, ...Array<number>(8).fill(255), 254, 255, 255, 255);
  // F: the emulator is opened now, because in the image there is none.
  return `:tiphys-${machine}:M::${mark}:${mask}:${program}:F`;
}

/** Why programs of that machine cannot be run here, if so. */
export function whyNoEmulation(architecture: Architecture): string | undefined {
  if (architecture === here()) return undefined;
  const { machine } = machines[architecture];
  if (findEmulator(machine) === undefined)
    return `programs for ${architecture} cannot be run: qemu-${machine}-static is missing (Debian: qemu-user-static)`;
  const words = ['--user', '--map-root-user', '--mount', 'sh', '-c', emulate, 'try', '/mnt'];
  const { status, stderr } = spawnSync('unshare', [...words, emulation(architecture) ?? ''], { encoding: 'utf8' });
  return status === 0 ? undefined : `the kernel takes no emulator in a namespace, which Linux 6.7 can: ${stderr}`;
}

/** In a namespace of one's own, so that nothing changes for anybody else on this machine. `$1`: a folder to mount at, `$2`: the line. */
export const emulate = 'set -eu; mount -t binfmt_misc binfmt_misc "$1"; printf %s "$2" > "$1/register"';

const machines = {
  amd64: { machine: 'x86_64', number: 0x3e },
  arm64: { machine: 'aarch64', number: 0xb7 },
} as const;

/** One without libraries of its own: in the image it would not find them. */
function findEmulator(machine: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, `qemu-${machine}-static`)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
