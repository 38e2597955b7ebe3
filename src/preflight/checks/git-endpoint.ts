import { gitAddress } from '../../core/preflight/addresses.ts';
import type { Check } from '../check.ts';
import { tryAddress } from '../try-address.ts';

/** R3.4: the Git repository can be reached from here. */
export const gitEndpoint: Check = {
  id: 'git-endpoint',
  title: 'Git is reachable',
  area: 'connectivity',
  deadlineMs: 20_000,
  stopsBootstrap: false,
  run: async (surroundings, signal) => [
    await tryAddress(surroundings, gitAddress(surroundings.platform.environment.gitRepository), signal),
  ],
};
