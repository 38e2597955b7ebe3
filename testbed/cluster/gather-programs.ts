import { findAssets } from '../binaries/find-assets.ts';
import { type BinariesWanted, findBinaries } from '../binaries/find-binaries.ts';
import { findCharts } from '../binaries/find-charts.ts';
import { findTool } from '../binaries/find-tool.ts';
import type { ArgoCdLine, Assets, Binaries } from '../testbed.ts';
import { environmentOf, type Foreseen } from './known-or-new.ts';

/** Everything that a testbed is started from. */
export interface Programs {
  readonly argocd: ArgoCdLine;
  readonly binaries: Binaries;
  readonly assets: Assets;
  /** Of an empty testbed only. */
  readonly charts: string | undefined;
  readonly redis: string;
}

/** Finds all of it, and builds what is not there. The system's tools come first: nobody wants to hear of a missing one after a long build. */
export async function gatherPrograms(
  foreseen: Foreseen,
  { env, report }: Pick<BinariesWanted, 'env' | 'report'>,
): Promise<Programs> {
  const { argocd, empty } = foreseen;
  const redis = await findTool('redis-server', env);
  for (const tool of ['git', 'openssl'] as const) await findTool(tool, env);
  // Before the rest, which is quick and mostly comes with their sources: of all that may be missing they are told first.
  const binaries = await findBinaries({ argocd, env: environmentOf(env, foreseen), report });
  const [assets, charts] = await Promise.all([
    findAssets({ argocd, env, report }),
    empty ? findCharts({ env, report }) : undefined,
  ]);
  return { argocd, binaries, assets, charts, redis };
}
