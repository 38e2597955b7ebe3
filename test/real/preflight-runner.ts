import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { CheckResult, Finding } from '../../src/core/preflight/finding.ts';
import type { PreflightReport } from '../../src/core/preflight/preflight-report.ts';
import { type AuditEntry, readAudit } from '../../testbed/audit/read-audit.ts';
import { eventually } from './waiting.ts';

/** A preflight that has ended. */
export interface Looked {
  readonly exitCode: number | null;
  readonly report: PreflightReport;
  /** Everything it said, the report included. */
  readonly said: string;
  check(id: string): CheckResult | undefined;
  /** The finding about this thing, in any check. */
  about(what: string): Finding | undefined;
}

/** Runs `tiphys preflight` with this environment and no other, and reads its report. */
export async function preflight(
  program: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = { PATH: process.env['PATH'] },
): Promise<Looked> {
  const child = spawn(process.execPath, [program, 'preflight', ...words, '-o', 'json'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  if (said.out === '') throw new Error(`it ended with ${exitCode} and without a report:\n${said.err}`);
  const report = JSON.parse(said.out) as PreflightReport;
  const findings = report.checks.flatMap((one) => one.findings);
  return {
    exitCode,
    report,
    said: said.out + said.err,
    check: (id) => report.checks.find((one) => one.id === id),
    about: (what) => findings.find((finding) => finding.about === what),
  };
}

/**
 * What was written since then, by anybody but the cluster's own parts; a review asks and stores nothing. The log is written a moment
 * after the answer: when a request made now stands in it, so does everything before.
 */
export async function writesSince(
  { folder }: { readonly folder: string },
  client: KubeClient,
  since: number,
): Promise<readonly AuditEntry[]> {
  const mark = `mark-${Date.now()}`;
  await client.delete(`/api/v1/namespaces/default/configmaps/${mark}`);
  const entries = await eventually('the audit log holds what has just been asked', async () => {
    const all = readAudit(join(folder, 'audit.log'), since);
    return all.some(({ name }) => name === mark) && all;
  });
  return entries.filter(({ user, name, resource }) => !isPart(user) && name !== mark && !resource.endsWith('reviews'));
}

/** The control plane and those who play nodes; whoever is nobody is no part. */
function isPart(user: string): boolean {
  return /^system:(kube-|kwok|kubelet-part|apiserver|argocd|workflows|serviceaccount:(kube-system|argocd|argo):)/.test(
    user,
  );
}
