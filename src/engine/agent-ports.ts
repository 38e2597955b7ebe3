import type { Platform } from '../core/platform/platform.ts';
import type { WorkflowView } from '../core/workflow/workflow-view.ts';
import type { Clock, Lease, World } from './ports.ts';

/** Everything the agent can reach. */
export interface AgentWorld {
  readonly clock: Clock;
  readonly taskSets: TaskSets;
  /** Which of several agents works. */
  readonly leadership: Lease;
  readonly newId: () => string;
  /** The world of one run; ends with the signal. */
  readonly connect: (platform: Platform, signal: AbortSignal) => World;
  /** What a person who reads the agent's log wants to know. */
  readonly log: (sentence: string) => void;
  /** How it stands from now on, for whoever watches over it. */
  readonly stands: (standing: AgentStanding) => void;
}

export type AgentStanding = 'works' | 'stands by' | 'waits for the cluster';

/** Work that the controller of Argo Workflows has for agents. */
export interface TaskSets {
  ready(signal: AbortSignal): Promise<void>;
  all(): readonly TaskSet[];
  /** Counts changes. */
  readonly version: number;
  /** Resolves when anything has changed since that version. */
  moved(version: number, signal: AbortSignal): Promise<void>;
  /** undefined takes an earlier word back. `gone`: nobody waits for it any more. */
  report(
    workflow: string,
    results: ReadonlyMap<string, TaskResult | undefined>,
    signal: AbortSignal,
  ): Promise<'done' | 'gone'>;
  /** The Workflow itself, read now. */
  workflow(name: string, signal: AbortSignal): Promise<WorkflowView | undefined>;
  unpack(run: string): string;
}

/** The open tasks of one Workflow. */
export interface TaskSet {
  readonly workflow: string;
  readonly isCompleted: boolean;
  /** By the id of the Workflow's node; only those that are ours to do. */
  readonly tasks: ReadonlyMap<string, TaskOrder>;
}

/** What a task asks for: its inputs, by name. */
export interface TaskOrder {
  readonly do: string;
  readonly inputs: Readonly<Record<string, string>>;
}

export interface TaskResult {
  readonly phase: 'Running' | 'Succeeded' | 'Failed';
  /** One sentence for people who look at Argo's own pages. */
  readonly message: string;
  /** See `writeReport`. */
  readonly report: string;
}
