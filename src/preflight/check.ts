import type { Area, Finding } from '../core/preflight/finding.ts';
import type { Surroundings } from './surroundings.ts';

/** One question of phase 0. A file in `checks/` exports one; `all-checks.ts` lists them. */
export interface Check {
  /** Stable, in kebab-case: people search for it. */
  readonly id: string;
  readonly title: string;
  readonly area: Area;
  /** After this it is over, whatever it waits for, and counts as failed. */
  readonly deadlineMs: number;
  /** How long it may take to put away what it has made, when its signal comes. */
  readonly cleanUpMs?: number;
  /** False: right before a bootstrap its failures only warn, because bootstrap helps itself or the cluster may have another way. */
  readonly stopsBootstrap?: false;
  /** At least one finding. What the cluster does not let us see may simply be thrown: it becomes “not looked at”. */
  run(surroundings: Surroundings, signal: AbortSignal): Promise<readonly Finding[]>;
}
