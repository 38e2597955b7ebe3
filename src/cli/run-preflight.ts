import { systemClock } from '../adapters/clock/system-clock.ts';
import { inTime } from '../adapters/kubernetes/abort.ts';
import type { PreflightReport } from '../core/preflight/preflight-report.ts';
import { toPreflightReport } from '../core/preflight/to-preflight-report.ts';
import { allChecks } from '../preflight/all-checks.ts';
import { readInventory } from '../preflight/read-inventory.ts';
import { runChecks } from '../preflight/run-checks.ts';
import type { Surroundings } from '../preflight/surroundings.ts';
import { type LookAroundOrder, openSurroundings } from './preflight-surroundings.ts';

/** Phase 0: runs every check and makes a report of what they found. Nothing is changed, and nothing found is thrown. */
export async function runPreflight(order: LookAroundOrder): Promise<PreflightReport> {
  const { io, loaded } = order;
  const { surroundings, close } = await openSurroundings(order);
  const startedAt = systemClock.now();
  try {
    const results = await runChecks(allChecks, surroundings, io.stop);
    const { inventory, snapshot } = await alreadyRead(surroundings);
    return toPreflightReport({
      platform: loaded.platform.name,
      environment: loaded.platform.environment.name,
      cluster: surroundings.cluster.name,
      startedAt: new Date(startedAt).toISOString(),
      durationSeconds: (systemClock.now() - startedAt) / 1000,
      results,
      inventory,
      snapshot,
    });
  } finally {
    await close();
  }
}

/** The checks have asked for all of it; what has not come by now is not waited for. */
async function alreadyRead({ cluster, clock }: Surroundings): Promise<Pick<PreflightReport, 'inventory' | 'snapshot'>> {
  const nothing = { nodes: [], storageClasses: [], definitions: [] };
  const [inventory, snapshot] = await Promise.all([
    inTime(clock, patienceMs, readInventory(cluster)).catch(() => nothing),
    inTime(clock, patienceMs, cluster.snapshot()).catch(() => undefined),
  ]);
  return { inventory, ...(snapshot === undefined ? {} : { snapshot }) };
}

const patienceMs = 5_000;
