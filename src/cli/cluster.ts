import type { KubeClient } from '../adapters/kubernetes/client.ts';
import type { World } from '../engine/ports.ts';

/** The cluster a command works on. */
export interface Cluster {
  readonly world: World;
  /** The same cluster, asked for names and labels only. */
  readonly names: KubeClient;
  /** Where it is, for people: a context's name, or the sandbox. */
  readonly name: string;
  readonly isSandbox: boolean;
  /** Runs work that needs the cluster's time to go on. Virtual time moves only in here. */
  drive<T>(work: () => Promise<T>): Promise<T>;
  /** Expected seconds by node, where a scenario tells them. */
  readonly seconds: ReadonlyMap<string, number>;
  /** The agent of the sandbox, which has no other; a real cluster has its own. Ends with the signal. */
  serveSteps(signal: AbortSignal): Promise<void>;
  close(): void;
}
