import { readdir, readFile } from 'node:fs/promises';
import { systemClock } from '../clock/system-clock.ts';

/** A program and everything it has started. */
export interface Family {
  /** The program itself: its process group carries its number. */
  readonly leader: number;
  /** A variable in the environment of all of them. Ansible's workers leave the group; their environment they keep. */
  readonly mark: string;
}

/** The name of the variable; one of its own for each program, so that a program within a program belongs to both. */
export function markOf(id: string): string {
  return `TIPHYS_FAMILY_${id}`;
}

const graceMs = 5_000;
/** A process in the middle of a disk access ends only after it. */
const killingMs = 10_000;

/** Asks everybody to end, waits five seconds for them, and ends who is left. Returns when nobody is. */
export async function endFamily(family: Family): Promise<void> {
  if (await isGone(family, 'SIGTERM', graceMs)) return;
  await isGone(family, 'SIGKILL', killingMs);
}

/** Tells each once, also who was just being started when the others were told, and waits until nobody is there. */
async function isGone(family: Family, signal: NodeJS.Signals, forMs: number): Promise<boolean> {
  const until = systemClock.now() + forMs;
  const told = new Set<number>();
  for (let pauseMs = 10; systemClock.now() < until; pauseMs = Math.min(100, pauseMs * 2)) {
    const members = await membersOf(family);
    // One by one: who leaves the group at this moment would not hear what is told to the group.
    for (const pid of members.filter((one) => !told.has(one))) if (send(pid, signal)) told.add(pid);
    if (members.length === 0) return true;
    await systemClock.sleep(pauseMs);
  }
  return false;
}

function send(to: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(to, signal);
  } catch (error) {
    // Gone in the meantime.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    // macOS says so of a group of zombies, who need no signal.
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return false;
    throw error;
  }
}

/** Who is alive of a family. */
async function membersOf(family: Family): Promise<readonly number[]> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.filter((name) => /^\d+$/.test(name));
  // Where one cannot look at processes, the group is all we know: its number, negative, means all of it.
  if (pids.length === 0) return send(-family.leader, 0) ? [-family.leader] : [];
  const isMember = await Promise.all(pids.map((pid) => belongs(family, pid)));
  return pids.filter((_, index) => isMember[index]).map(Number);
}

async function belongs({ leader, mark }: Family, pid: string): Promise<boolean> {
  const group = aliveGroup(await textOf(`/proc/${pid}/stat`));
  if (group === undefined || group === leader) return group === leader;
  return `\0${await textOf(`/proc/${pid}/environ`)}`.includes(`\0${mark}=`);
}

/** `pid (name) state parent group …`; a name may hold anything. Zombies need no signal: they are over. */
function aliveGroup(stat: string): number | undefined {
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === undefined || group === undefined || state === 'Z' || state === 'X' ? undefined : Number(group);
}

/** Other people's processes cannot be read, and some end while we look: neither is ours. */
async function textOf(file: string): Promise<string> {
  return readFile(file, 'latin1').catch(() => '');
}
