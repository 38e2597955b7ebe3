import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartedProcess } from '../cluster/state.ts';

/** What the part of the kubelet remembers of each part, by name, so that it can be killed and started again. */
export type KubeletRecord = Readonly<Record<string, PartRecord>>;

export interface PartRecord {
  /** The uid of the pod that it runs for. */
  readonly pod: string;
  /** How often it has ended by itself. */
  readonly restarts: number;
  readonly process?: StartedProcess;
}

/** Everything in here is the part of the kubelet's own. */
export function kubeletFolder(folder: string): string {
  return join(folder, 'kubelet');
}

/** What was written last; nothing when there is no such file. */
export function readRecord(folder: string): KubeletRecord {
  try {
    return JSON.parse(readFileSync(recordFile(folder), 'utf8')) as KubeletRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** Written beside and renamed, so that `down` never reads half of it. */
export function writeRecord(folder: string, record: KubeletRecord): void {
  mkdirSync(kubeletFolder(folder), { recursive: true, mode: 0o700 });
  const file = recordFile(folder);
  writeFileSync(`${file}.next`, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.next`, file);
}

function recordFile(folder: string): string {
  return join(kubeletFolder(folder), 'record.json');
}
