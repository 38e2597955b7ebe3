import { describe, it } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { ClusterName, ContractCluster } from './cluster.ts';
import { type OneSided, oneSided } from './one-sided.ts';
import { onSandbox } from './sandbox-cluster.ts';
import { onTestbed } from './testbed-cluster.ts';

/** Declares a behaviour that both clusters must show. */
export type Behaves = (promise: string, run: Run, options?: CaseOptions) => void;

type Run = (cluster: ContractCluster) => Promise<void>;

export interface CaseOptions {
  /** A case for one cluster only, by its key in one-sided.ts, where the reason stands. */
  readonly oneSided?: OneSided;
  /** How the embedded cluster differs from its usual self; the real one cannot be asked. */
  readonly sandbox?: Partial<SandboxOptions>;
}

/** The cluster this process is to try: the embedded one in `npm test`, the real one in `npm run test:real`. */
const triedCluster: ClusterName = process.env['TIPHYS_CONTRACT'] === 'testbed' ? 'testbed' : 'sandbox';

/** One contract: behaviours of Kubernetes and Argo CD that the engine relies on, run unchanged on either cluster. */
export function describeContract(title: string, declare: (behaves: Behaves) => void): void {
  describe(`${title} (${triedCluster})`, () => {
    declare((promise, run, options = {}) => {
      const side = options.oneSided === undefined ? triedCluster : oneSided[options.oneSided].only;
      if (side !== triedCluster) return;
      if (triedCluster === 'testbed') it.concurrent(promise, () => onTestbed(run));
      else it(promise, () => onSandbox(run, options.sandbox));
    });
  });
}
