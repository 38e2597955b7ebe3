import type { ReportNode } from './report.ts';

/** One sign for each state, so that nothing is told by colour alone. */
export const stateMarks: Record<ReportNode['state'], string> = {
  healthy: '✓',
  skipped: '=',
  failed: '✗',
  blocked: '–',
  removed: '✓',
  retained: '■',
  orphaned: '✗',
  pending: '…',
};
