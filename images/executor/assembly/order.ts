import type { Architecture, Contents } from './contents.ts';

/** What is to be assembled, for one architecture. */
export interface Order {
  /** The folder of the project. */
  readonly repository: string;
  readonly contents: Contents;
  readonly architecture: Architecture;
  /** Downloads and builds are kept here for the next time. */
  readonly cache: string;
  /** A Node.js program for this architecture; without it the npm package is taken. */
  readonly node?: string;
  /** A folder with some of the Go programs; what it lacks is built. */
  readonly programs?: string;
  /** As `tiphys bootstrap --charts`. */
  readonly charts?: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
}

/** The layers of the image, from what changes least to what changes most. */
export const layers = ['system', 'programs', 'ansible', 'tiphys'] as const;
export type Layer = (typeof layers)[number];
