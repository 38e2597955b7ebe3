import type { NodeRun } from '../run/run.ts';
import type { Report, ReportFailure } from './report.ts';

/** What kind of failure this is, why it happened, and the recovery for it: every failure has all three (R4.7). */
export function describeFailure(
  node: NodeRun,
  action: Report['action'],
): Pick<ReportFailure, 'name' | 'because' | 'hint'> {
  const because = node.because ?? 'no reason was given';
  // The signs of Applications are not those of roles.
  const modes = action === 'bootstrap' ? bootstrapModes : failureModes;
  const mode = modes.find(({ sign }) => sign.test(because));
  const { name, recovery } = mode ?? fallback(node, action);
  if (action === 'bootstrap' && mode !== undefined && node.hint !== undefined)
    // A role says only that it can be run again.
    return { name, because, hint: `${node.hint.replace(/\.$/, '')}. ${recovery(node.name)}` };
  return { name, because, hint: node.hint ?? recovery(node.name) };
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

/** The same for the roles of a bootstrap: what Helm, Ansible and the API server say (RFC 4.2). */
const bootstrapModes: readonly FailureMode[] = [
  {
    name: 'Cluster unreachable',
    sign: /unreachable|ECONNREFUSED|connection refused|max retries exceeded|no route to host/i,
    recovery: () => 'Check the network, and that `kubectl version` answers with the same kubeconfig.',
  },
  {
    name: 'Definitions refused',
    sign: /customresourcedefinition.*\b(forbidden|cannot)\b|\b(forbidden|cannot)\b.*customresourcedefinition/is,
    recovery: () => 'It must be allowed to make definitions: `tiphys preflight` lists the rights that this user lacks.',
  },
  {
    name: 'Permission missing',
    sign: /\bforbidden\b|cannot (get|list|watch|create|patch|update|delete) resource/i,
    recovery: () => '`tiphys preflight` lists the rights that this user lacks.',
  },
  {
    name: 'No node takes it',
    sign: /insufficient (cpu|memory|pods|ephemeral)|nodes are available|didn't match pod's node/i,
    recovery: () => 'Add nodes or room, or ask for less with `--vars`; `kubectl describe nodes` shows what is left.',
  },
  {
    name: 'Not ready in time',
    sign: /not ready after|deadline exceeded|timed out/i,
    recovery: (role) =>
      `Look at the pods, events and logs of ${role}: an image that cannot be pulled, too little room, a wrong value.`,
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
