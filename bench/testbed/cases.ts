import type { Pace } from '../../testbed/world/pace.ts';
import { chain, fan, folderOf } from './platforms.ts';

export const methods = ['floor', 'tiphys', 'rolling-sync', 'waves'] as const;

export type Method = (typeof methods)[number];

/** One graph with one set of workloads, which every method has to bring up. */
export interface Case {
  readonly name: string;
  readonly title: string;
  /** A folder with the platform, its apps named after the prefix where names are free. */
  folder(prefix: string): string;
  /** How much faster than its scenario. */
  readonly pace: Pace;
  /** Only an empty cluster gives every method the same start. */
  readonly needsEmptyCluster: boolean;
}

const chainSeconds = 3;
const fanSeconds = 3;
/** The critical path of the scenario is about 40 minutes. */
const referencePace = 60;
const calmPace = 20;

export const cases: readonly Case[] = [
  free('chain', 'chain of 10', (prefix) => folderOf(chain(prefix, 10), 1), 'max'),
  free(
    'chain-delays',
    `chain of 10, each ready after ${chainSeconds} s`,
    (prefix) => folderOf(chain(prefix, 10), chainSeconds),
    1,
  ),
  alone('fan', 'fan: 40 that need one', (prefix) => folderOf(fan(prefix, 40), 1), 'max'),
  alone(
    'fan-delays',
    `fan: 40 that need one, each ready after ${fanSeconds} s`,
    (prefix) => folderOf(fan(prefix, 40), fanSeconds),
    1,
  ),
  reference('reference', '`platforms/reference`: 47 apps', 'max'),
  reference('reference-delays', pacedTitle(referencePace), referencePace),
];

/** Slow enough that two cores are not busy with Argo CD alone: what is left between two apps is the engine's. */
export const calmReference: Case = reference('reference-calm', pacedTitle(calmPace), calmPace);

function pacedTitle(pace: number): string {
  return `\`platforms/reference\`, its scenario ${pace} times as fast`;
}

function free(name: string, title: string, folder: Case['folder'], pace: Pace): Case {
  return { name, title, folder, pace, needsEmptyCluster: false };
}

/** Forty apps that an earlier run has left behind are forty more for Argo CD to keep in mind. */
function alone(name: string, title: string, folder: Case['folder'], pace: Pace): Case {
  return { ...free(name, title, folder, pace), needsEmptyCluster: true };
}

function reference(name: string, title: string, pace: Pace): Case {
  return { name, title, folder: () => 'platforms/reference', pace, needsEmptyCluster: true };
}
