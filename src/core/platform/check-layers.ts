import type { Problems } from './collect-problems.ts';
import { formatPosition } from './format-problems.ts';
import type { App, Need } from './platform.ts';

/** Warns where an app needs one of a higher layer; one warning for each need as written, however many apps a stack makes of it. */
export function checkLayers(apps: ReadonlyMap<string, App>, problems: Problems): void {
  const warned = new Set<string>();
  for (const app of apps.values()) {
    for (const need of app.needs) {
      if (!isInversion(app, need, apps) || warned.has(formatPosition(need.at))) continue;
      warned.add(formatPosition(need.at));
      const higher = apps.get(need.node)?.layer;
      problems.warning(
        need.at,
        `App "${app.name}" is in layer ${app.layer} but needs "${need.node}" in layer ${higher}.`,
        'Layers are only labels, so this works; change one of them if the need is right.',
      );
    }
  }
}

function isInversion(app: App, need: Need, apps: ReadonlyMap<string, App>): boolean {
  const higher = apps.get(need.node)?.layer;
  return app.layer !== undefined && higher !== undefined && higher > app.layer;
}
