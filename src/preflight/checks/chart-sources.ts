import { chartAddress } from '../../core/preflight/addresses.ts';
import { type Finding, failed, passed } from '../../core/preflight/finding.ts';
import type { Check } from '../check.ts';
import type { ChartPlaces } from '../surroundings.ts';
import { tryAddress } from '../try-address.ts';

/** R3.4: the charts of the bootstrap can be had: from their repositories, a mirror, or a folder. */
export const chartSources: Check = {
  id: 'chart-sources',
  title: 'Charts are reachable',
  area: 'connectivity',
  deadlineMs: 20_000,
  async run(surroundings, signal) {
    const { charts } = surroundings;
    if (charts.kind === 'folder') return [inFolder(charts)];
    const addresses = new Map(charts.sources.map(chartAddress).map((address) => [address.about, address]));
    return Promise.all([...addresses.values()].map((address) => tryAddress(surroundings, address, signal)));
  },
};

function inFolder({ folder, missing, wanted }: ChartPlaces & { kind: 'folder' }): Finding {
  if (missing.length === 0) return passed('charts', `all ${wanted} are in ${folder}`);
  return failed(
    'charts',
    `${folder} lacks ${missing.join(', ')}`,
    'Put each chart there as <name>/ or <name>-<version>.tgz; bootstrap/charts.lock names them and where they come from.',
  );
}
