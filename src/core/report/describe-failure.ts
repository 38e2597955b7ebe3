import type { NodeRun } from '../run/run.ts';
import type { Report, ReportFailure } from './report.ts';

/** What kind of failure this is, why it happened, and the recovery for it: every failure has all three (R4.7). */
export function describeFailure(
  node: NodeRun,
  action: Report['action'],
): Pick<ReportFailure, 'name' | 'because' | 'hint'> {
  const because = node.because ?? 'no reason was given';
  // The signs are those of Applications; what a role says of itself is more to the point.
  const mode = action === 'bootstrap' ? undefined : failureModes.find(({ sign }) => sign.test(because));
  const known = mode ?? fallback(node, action);
  return { name: known.name, because, hint: node.hint ?? known.recovery(node.name) };
}

interface FailureMode {
  readonly name: string;
  /** How it is recognised in the sentence that the gate, the operation or the API gave. */
  readonly sign: RegExp;
  readonly recovery: (app: string) => string;
}

/** From the most to the least specific; the first that fits names the failure. */
const failureModes: readonly FailureMode[] = [
  {
    name: 'Vault sealed',
    sign: /\bsealed\b/i,
    recovery: () => 'Unseal Vault, then run the same command again.',
  },
  {
    name: 'Ceph not healthy',
    sign: /HEALTH_(WARN|ERR)/,
    recovery: () =>
      'Read `ceph health detail` in the toolbox pod and mend what it names, then run the same command again.',
  },
  {
    name: 'Stuck finalizer',
    sign: /finalizer/i,
    recovery: (app) =>
      `See whether the controller that owns the finalizer still runs; \`tiphys explain ${app}\` names the object.`,
  },
  {
    name: 'Credentials refused',
    sign: /forbidden|unauthori[sz]ed|permission denied/i,
    recovery: () => 'Give the service account the missing permission, or renew the credentials, and run again.',
  },
  {
    name: 'Cluster unreachable',
    sign: /unreachable|ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|no route to host/i,
    recovery: () => 'Check the network and that the API server answers, then run the same command again.',
  },
  {
    name: 'Empty application',
    sign: /\bempty\b|no resources/i,
    recovery: (app) => `Check path and revision of its source; if ${app} may be empty, set \`mayBeEmpty: true\`.`,
  },
  {
    name: 'Missing resources',
    sign: /\bMissing\b/i,
    recovery: () =>
      'Check that the source repository holds it at the wanted revision, then run the same command again.',
  },
  {
    name: 'Target not found',
    sign: /not found|does not exist/i,
    recovery: (app) => `Create it or mend its name; \`tiphys explain ${app}\` shows which parent should bring it.`,
  },
  {
    name: 'Out of sync',
    sign: /OutOfSync|out of sync/i,
    recovery: () => 'See the difference in Argo CD; if it never settles by design, set `settles: false` on the app.',
  },
  {
    name: 'Health degraded',
    sign: /\bDegraded\b/i,
    recovery: () =>
      'Look at the pods and events of the object that is named, mend it, then run the same command again.',
  },
  {
    name: 'Sync failed',
    sign: /\bsync\b.*\bfail|operation.*\b(failed|error)|one or more objects failed/i,
    recovery: () => 'Mend the manifest that the message names in Git, then run the same command again.',
  },
];

function fallback(node: NodeRun, action: Report['action']): Pick<FailureMode, 'name' | 'recovery'> {
  const explain = (app: string): string => `\`tiphys explain ${app}\` shows its gate; mend it and run again.`;
  if (node.timedOut === true) {
    return {
      name: 'Timed out',
      recovery: (app) => `See what ${app} waits for; if it only needs longer, raise its time-out, then run again.`,
    };
  }
  if (action === 'teardown') return { name: 'Removal failed', recovery: explain };
  if (action === 'bootstrap')
    return {
      name: 'Bootstrap failed',
      recovery: () => 'Mend what the message names, then run the same command again.',
    };
  return { name: 'Health check failed', recovery: explain };
}
