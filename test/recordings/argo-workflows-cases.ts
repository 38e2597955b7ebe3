import type { CaseSetting } from './argo-workflows-replay.ts';

export const workflowCases: Readonly<Record<string, CaseSetting>> = {
  // Its requests were held back, so each look took up to 300 ms: two results came between reading and writing.
  'running-message-progress': { toleranceMs: 700, later: { 3: 100, 4: 100, 5: 100 } },
  'template-timeout-running': { startMs: 656 },
  'template-timeout-pending': { startMs: 315 },
};

/** Recordings that cannot be replayed step by step, and why: they hold sizes only. `argo-workflows-sizes.test.ts` holds the sandbox to those. */
export const sizesOnly: ReadonlySet<string> = new Set(['size-300-nodes', 'size-300-nodes-long-messages']);
