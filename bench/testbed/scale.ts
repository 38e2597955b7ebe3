import { type BrokenEdge, brokenEdges } from '../../testbed/audit/broken-edges.ts';
import { publishInto } from '../../testbed/world/publish-into.ts';
import { emptyBed, usualResyncSeconds } from './bed.ts';
import { type Executor, executorOf } from './measure-once.ts';
import { removeFolder, synthetic } from './platforms.ts';
import { runTiphys } from './run-executor.ts';

/** One deployment of a large platform. */
export interface ScaleMeasurement extends Executor {
  readonly apps: number;
  /** The release line of Argo CD. */
  readonly argocd: string;
  readonly apiCpuMs: number;
  readonly controllerCpuMs: number;
  /** How many edges were broken, by the API server's log. */
  readonly broken: number;
}

export const sizes = [125, 250, 500] as const;

/** Tiphys alone on a synthetic platform of so many apps, through root and stacks. */
export async function measureScale(apps: number, built: string): Promise<ScaleMeasurement> {
  const bed = await emptyBed('100ms', usualResyncSeconds);
  const folder = synthetic(apps);
  try {
    const { platform } = await publishInto(bed.state, folder);
    await bed.compared([platform.root ?? '']);
    const before = bed.cpuMs();
    const run = await runTiphys({ state: bed.state, folder, built });
    const after = bed.cpuMs();
    await bed.allGood([...platform.apps.values()].map(({ application }) => application));
    return {
      apps,
      argocd: bed.state.argocd,
      ...executorOf(run),
      apiCpuMs: after.api - before.api,
      controllerCpuMs: after.controller - before.controller,
      broken: edgesIn(brokenEdges(platform, await bed.audit(run.startedAt))),
    };
  } finally {
    removeFolder(folder);
    bed.close();
  }
}

/** An edge is broken once, however many objects came too early. */
function edgesIn(broken: readonly BrokenEdge[]): number {
  return new Set(broken.map(({ need, node }) => `${need} → ${node}`)).size;
}
