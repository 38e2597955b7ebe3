import type { CaseSetting } from './argo-workflows-replay.ts';

export const workflowCases: Readonly<Record<string, CaseSetting>> = {
  // Its requests were held back, so each look took up to 300 ms: two results came between reading and writing.
  'running-message-progress': { toleranceMs: 700, later: { 3: 100, 4: 100, 5: 100 } },
  'template-timeout-running': { startMs: 656 },
  'template-timeout-pending': { startMs: 315 },
};

/** Recordings that cannot be replayed step by step, and why. */
export const notReplayed: Readonly<Record<string, string>> = {
  'size-300-nodes': 'the recording holds sizes only, not the requests',
  'size-300-nodes-long-messages': 'the recording holds sizes only, not the requests',
};
