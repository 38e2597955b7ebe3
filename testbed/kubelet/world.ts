import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { ReflectorOptions } from '../../src/adapters/kubernetes/follow.ts';
import type { TestbedState } from '../cluster/state.ts';
import type { PartRecord } from './record.ts';

/** What the parts are run with. */
export interface KubeletWorld {
  readonly testbed: TestbedState;
  readonly client: KubeClient;
  readonly clock: ReflectorOptions['clock'];
  /** The way to programs, a home and a place for temporary files. */
  readonly env: Readonly<Record<string, string>>;
  readonly onTrouble: (sentence: string) => void;
  remembered(part: string): PartRecord | undefined;
  remember(part: string, record: PartRecord | undefined): void;
}
