import { groupOf, type KubeObject } from '../../store/objects.ts';
import type { HealthStatus, ResourceStatus } from './application.ts';
import { type DesiredObject, type DesiredState, isHook, waveOf } from './desired-state.ts';
import { drifted } from './drift.ts';
import type { InstalledCheck } from './installed-checks.ts';
import type { LiveView } from './live-views.ts';
import { objectHealth } from './object-health.ts';
import { versionOf } from './object-key.ts';

/** Git against the cluster, for one Application, remembered so that a change costs only the objects it touched. */
export interface Comparison {
  readonly desired: DesiredState;
  readonly rows: Map<string, Row>;
  resources: readonly ResourceStatus[];
  readonly settings: string;
}

interface Row {
  readonly entry: ResourceStatus;
  /** Undefined: the object is not there, has no check, or does not count. */
  readonly health: HealthStatus | undefined;
  readonly isMissing: boolean;
}

export interface ComparisonSettings {
  readonly installedCheck: InstalledCheck;
  /** May the project hold this kind? */
  readonly isPermitted: (object: KubeObject) => boolean;
  /** Changes when one of the above does. */
  readonly id: string;
}

export interface Verdict {
  readonly sync: 'Synced' | 'OutOfSync';
  readonly health: HealthStatus;
  readonly resources: readonly ResourceStatus[];
}

/** Compares what has changed since `before`, or everything when Git or the settings are other ones. */
export function compare(
  before: Comparison | undefined,
  desired: DesiredState,
  view: LiveView,
  settings: ComparisonSettings,
): Comparison {
  if (before === undefined || before.desired !== desired || before.settings !== settings.id) {
    const comparison: Comparison = { desired, rows: new Map(), resources: [], settings: settings.id };
    const keys = new Set([...desired.objects.keys(), ...view.objects.keys()]);
    for (const key of keys) setRow(comparison, key, view, settings);
    view.dirty.clear();
    comparison.resources = sortedEntries(comparison.rows);
    return comparison;
  }
  let isChanged = false;
  for (const key of view.dirty) isChanged = setRow(before, key, view, settings) || isChanged;
  view.dirty.clear();
  if (isChanged) before.resources = sortedEntries(before.rows);
  return before;
}

export function verdictOf(comparison: Comparison): Verdict {
  let sync: Verdict['sync'] = 'Synced';
  let health: HealthStatus = 'Healthy';
  let missing = 0;
  let counted = 0;
  for (const row of comparison.rows.values()) {
    if (row.entry.status === 'OutOfSync' || row.entry.status === 'Unknown') sync = 'OutOfSync';
    if (row.entry.hook === true) continue;
    counted++;
    if (row.isMissing) missing++;
    else if (row.health !== undefined && rank[row.health] > rank[health]) health = row.health;
  }
  // Since 3.4 one missing object does not show in the health; only when all are missing it does.
  if (counted > 0 && missing === counted) health = 'Missing';
  return { sync, health, resources: comparison.resources };
}

const rank: Record<HealthStatus, number> = {
  Healthy: 0,
  Suspended: 1,
  Progressing: 2,
  Missing: 3,
  Degraded: 4,
  Unknown: 5,
};

/** True when the row is another one than before. */
function setRow(comparison: Comparison, key: string, view: LiveView, settings: ComparisonSettings): boolean {
  const before = comparison.rows.get(key);
  const row = rowOf(comparison.desired.objects.get(key), view.objects.get(key), settings);
  if (row === undefined) return comparison.rows.delete(key);
  if (before !== undefined && isSame(before, row)) return false;
  comparison.rows.set(key, row);
  return true;
}

function isSame(a: Row, b: Row): boolean {
  const isAsSafe = a.entry.requiresDeletionConfirmation === b.entry.requiresDeletionConfirmation;
  return isAsSafe && a.health === b.health && a.isMissing === b.isMissing && a.entry.status === b.entry.status;
}

function rowOf(
  desired: DesiredObject | undefined,
  live: KubeObject | undefined,
  settings: ComparisonSettings,
): Row | undefined {
  if (desired?.hook !== undefined || (live !== undefined && isHook(live))) return hookRow(live);
  if (desired === undefined) return live === undefined ? undefined : extraRow(live, settings);
  const isMissing = live === undefined;
  const status = !settings.isPermitted(desired.object)
    ? 'Unknown'
    : isMissing || drifted(desired.object, live)
      ? 'OutOfSync'
      : 'Synced';
  const entry = entryOf(desired.object, { status, ...confirmationFor(live) });
  return { entry, health: healthOf(live, settings), isMissing };
}

/** Of several values of an option the first counts. */
function confirmationFor(live: KubeObject | undefined): Partial<ResourceStatus> {
  const options = (live?.metadata.annotations?.['argocd.argoproj.io/sync-options'] ?? '').split(',');
  const asks = (key: string): boolean => options.find((option) => option.startsWith(key)) === `${key}confirm`;
  return asks('Delete=') || asks('Prune=') ? { requiresDeletionConfirmation: true } : {};
}

/** A hook is listed while it lives, and never counts. */
function hookRow(live: KubeObject | undefined): Row | undefined {
  if (live === undefined) return undefined;
  return { entry: entryOf(live, { hook: true, requiresPruning: true }), health: undefined, isMissing: false };
}

function extraRow(live: KubeObject, settings: ComparisonSettings): Row {
  const entry = entryOf(live, { status: 'OutOfSync', requiresPruning: true });
  return { entry, health: healthOf(live, settings), isMissing: false };
}

function healthOf(live: KubeObject | undefined, settings: ComparisonSettings): HealthStatus | undefined {
  if (live === undefined || live.metadata.annotations?.['argocd.argoproj.io/ignore-healthcheck'] === 'true') {
    return undefined;
  }
  const health = objectHealth(live, settings.installedCheck);
  const isChild = live.kind === 'Application' && groupOf(live.apiVersion) === 'argoproj.io';
  return isChild && (health === 'Missing' || health === 'Unknown') ? undefined : health;
}

function entryOf(object: KubeObject, rest: Partial<ResourceStatus>): ResourceStatus {
  const group = groupOf(object.apiVersion);
  const wave = waveOf(object);
  const { name, namespace } = object.metadata;
  return {
    ...(group === '' ? {} : { group }),
    kind: object.kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...rest,
    ...(wave === 0 ? {} : { syncWave: wave }),
    version: versionOf(object.apiVersion),
  };
}

function sortedEntries(rows: ReadonlyMap<string, Row>): readonly ResourceStatus[] {
  return [...rows.keys()].sort().map((key) => (rows.get(key) as Row).entry);
}
