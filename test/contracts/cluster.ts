import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { Clock, World } from '../../src/engine/ports.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';

/** A cluster with Argo CD and room for one case in it: the embedded one, or real processes. A case cannot tell which. */
export interface ContractCluster {
  readonly name: ClusterName;
  /** Raw requests, as the cluster's administrator. */
  readonly client: KubeClient;
  readonly clock: Clock;
  /** An executor's world on the same cluster; its watches have begun, also of an Application `app` in a namespace `team` of the case's own. */
  readonly world: World;
  readonly git: ContractGit;
  readonly charts: ContractCharts;
  /** A name that no other case uses. */
  named(name: string): string;
  /** The case's own namespace, and its own AppProject, which allows everything. */
  readonly namespace: string;
  readonly project: string;
  /** A resourceVersion that the API server has forgotten by now. */
  forgottenVersion(): string;
  /** Ends with the case. */
  readonly signal: AbortSignal;
  /** A time by which a healthy cluster has done anything it is asked for. */
  deadline(): number;
  /** Waits for the condition and gives what it gave; tells the sentence when it waited in vain. */
  eventually<T>(sentence: string, condition: () => Promise<T | undefined | false>, withinMs?: number): Promise<T>;
  /** Looks again and again for this long, and fails with the sentence as soon as the condition does not hold. */
  always(sentence: string, condition: () => Promise<boolean>, forMs: number): Promise<void>;
}

export type ClusterName = 'sandbox' | 'testbed';

/** The repository of one case: other cases do not move its branch. */
export interface ContractGit {
  readonly url: string;
  /** Replaces what these paths hold; gives the commit. */
  commit(paths: Readonly<Record<string, GitContent>>): Promise<string>;
}

/** A Helm repository of one case. */
export interface ContractCharts {
  /** Gives the address of the repository. */
  publish(chart: { readonly name: string; readonly version: string } & Rendered): Promise<string>;
}

/** Plain objects, text that is no YAML, or files for Helm or Kustomize with what they render to. */
export type GitContent = readonly KubeObject[] | { readonly broken: string } | Rendered;

export interface Rendered {
  readonly files: Readonly<Record<string, string>>;
  /** The embedded cluster renders nothing: it is told what the real tools make of the files. */
  readonly renders: readonly KubeObject[];
}

type Waiting = Pick<ContractCluster, 'deadline' | 'eventually' | 'always'>;

/** The two ways of waiting, on whatever time the cluster has. A deadline is only met when something is wrong, so a busy machine may stretch it. */
export function waitingOn(clock: Clock, { pollMs, patienceMs }: { pollMs: number; patienceMs: number }): Waiting {
  return {
    deadline: () => clock.now() + patienceMs,
    async eventually(sentence, condition, withinMs = patienceMs) {
      const deadline = clock.now() + withinMs;
      for (;;) {
        const value = await condition();
        if (value !== undefined && value !== false) return value;
        if (clock.now() >= deadline) throw new Error(`waited ${withinMs / 1000} s in vain until ${sentence}`);
        await clock.sleep(pollMs);
      }
    },
    async always(sentence, condition, forMs) {
      const end = clock.now() + forMs;
      do {
        if (!(await condition())) throw new Error(`it was not so that ${sentence}`);
        await clock.sleep(pollMs * 5);
      } while (clock.now() < end);
    },
  };
}
