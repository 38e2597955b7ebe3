import { durationText } from './duration-text.ts';
import type { Report, ReportNode } from './report.ts';

/** How a run ended, in words without colour: `partial`, and `35 of 47 healthy, 1 failed, 11 blocked`. */
export function outcomeText(report: Report): { readonly verdict: string; readonly detail: string } {
  return {
    verdict: verdictOf(report),
    detail: `${countsText(report)} · ${durationText(report.durationSeconds)}`,
  };
}

/** What was kept on purpose must not hide behind a clean end. */
function verdictOf({ outcome, nodes, action }: Report): string {
  if (action === 'bootstrap' && outcome === 'success') return 'ready for deploy';
  const isKeeping = outcome === 'clean' && nodes.some(({ state }) => state === 'retained');
  return isKeeping ? 'removed what may go, the rest is kept' : verdicts[outcome];
}

const verdicts: Record<Report['outcome'], string> = {
  success: 'all Healthy',
  partial: 'partly deployed',
  failed: 'failed',
  timeout: 'ran out of time',
  clean: 'removed, no orphans',
  orphans: 'objects were left behind',
  healthy: 'healthy',
  degraded: 'degraded',
  unhealthy: 'unhealthy',
  unfinished: 'not finished',
};

/** True when the run ended as it was meant to. */
export function isGood(outcome: Report['outcome']): boolean {
  return outcome === 'success' || outcome === 'clean' || outcome === 'healthy';
}

function countsText({ nodes, action }: Report): string {
  const count = new Map<ReportNode['state'], number>();
  for (const { state } of nodes) count.set(state, (count.get(state) ?? 0) + 1);
  const done = action === 'teardown' ? 'removed' : 'healthy';
  const noun = action === 'bootstrap' ? 'installed' : done;
  const skipped = count.get('skipped') ?? 0;
  const finished = (count.get(done) ?? 0) + skipped;
  const already =
    skipped === 0 ? '' : ` (${skipped} already ${action === 'teardown' ? 'gone' : skipped === 1 ? 'was' : 'were'})`;
  const others = (['failed', 'blocked', 'orphaned', 'retained', 'pending'] as const).flatMap((state) => {
    const many = count.get(state) ?? 0;
    return many === 0 ? [] : [`${many} ${state}`];
  });
  return [`${finished} of ${nodes.length} ${noun}${already}`, ...others].join(', ');
}
