import { endpointAddress } from '../../core/preflight/addresses.ts';
import { passed } from '../../core/preflight/finding.ts';
import type { Check } from '../check.ts';
import { tryAddress } from '../try-address.ts';

/** What else the environment says must answer. */
export const otherEndpoints: Check = {
  id: 'other-endpoints',
  title: 'Other addresses',
  area: 'connectivity',
  deadlineMs: 20_000,
  stopsBootstrap: false,
  async run(surroundings, signal) {
    const urls = surroundings.section.endpoints ?? [];
    if (urls.length === 0) return [passed('other addresses', 'none are named')];
    return Promise.all(urls.map((url) => tryAddress(surroundings, endpointAddress(url), signal)));
  },
};
