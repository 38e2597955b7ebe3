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

/** The release line of Argo CD on whose testbed this process is to try them, as `npm run test:real` says; without it, the embedded cluster. */
const line = process.env['TIPHYS_CONTRACT'];
const triedCluster: ClusterName = line === undefined ? 'sandbox' : 'testbed';

/** One contract: behaviours of Kubernetes and Argo CD that the engine relies on, run unchanged on either cluster. */
export function describeContract(title: string, declare: (behaves: Behaves) => void): void {
  describe(`${title} (${line === undefined ? 'sandbox' : `Argo CD ${line}`})`, () => {
    declare((promise, run, options = {}) => {
      const side = options.oneSided === undefined ? triedCluster : oneSided[options.oneSided].only;
      if (side !== triedCluster) return;
      if (line === undefined) it(promise, () => onSandbox(run, options.sandbox));
      else it.concurrent(promise, () => onTestbed(line, run));
    });
  });
}
