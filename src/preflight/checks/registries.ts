import { registryAddress, usualRegistries } from '../../core/preflight/addresses.ts';
import type { Check } from '../check.ts';
import { tryAddress } from '../try-address.ts';

/** R3.4: registries answer on 443; with mirrors named in environment.yaml, only those are asked. */
export const registries: Check = {
  id: 'registries',
  title: 'Registries are reachable',
  area: 'connectivity',
  deadlineMs: 20_000,
  stopsBootstrap: false,
  run: (surroundings, signal) =>
    Promise.all(
      (surroundings.section.registries ?? usualRegistries).map((registry) =>
        tryAddress(surroundings, registryAddress(registry), signal),
      ),
    ),
};
