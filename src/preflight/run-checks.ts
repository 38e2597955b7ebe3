import { inTime, linkedAbort, untilAborted } from '../adapters/kubernetes/abort.ts';
import { TimeoutError } from '../adapters/kubernetes/errors.ts';
import { type CheckResult, type Finding, failed, unseen, worst } from '../core/preflight/finding.ts';
import type { Check } from './check.ts';
import type { Surroundings } from './surroundings.ts';
import { whyNotLooked } from './why-not-looked.ts';

/** Runs all checks at once, each until its own deadline; what happens to one is no matter of the others. */
export async function runChecks(
  checks: readonly Check[],
  surroundings: Surroundings,
  stop: AbortSignal,
): Promise<readonly CheckResult[]> {
  const results = await Promise.all(checks.map((check) => runCheck(check, surroundings, stop)));
  stop.throwIfAborted();
  return results;
}

async function runCheck(check: Check, surroundings: Surroundings, stop: AbortSignal): Promise<CheckResult> {
  const { clock } = surroundings;
  const { id, title, area, deadlineMs } = check;
  const attempt = linkedAbort(stop);
  const startedAt = clock.now();
  let findings: readonly Finding[];
  const work = begin(check, surroundings, attempt.signal);
  try {
    findings = await inTime(clock, deadlineMs, untilAborted(work, attempt.signal));
  } catch (error) {
    attempt.abort(error);
    await cleanedUp(check, surroundings, work);
    findings = [afterError(check, error, stop)];
  } finally {
    attempt.release();
  }
  const judged = findings.map((finding) => (isSoft(check, surroundings) ? softened(finding) : finding));
  return { id, title, area, verdict: worst(judged), seconds: (clock.now() - startedAt) / 1000, findings: judged };
}

function isSoft({ stopsBootstrap }: Check, { purpose }: Surroundings): boolean {
  return purpose === 'bootstrap' && stopsBootstrap === false;
}

function softened(finding: Finding): Finding {
  return finding.verdict === 'fail' ? { ...finding, verdict: 'warn' } : finding;
}

/** Also what a check throws before its first wait belongs to the check. */
async function begin(check: Check, surroundings: Surroundings, signal: AbortSignal): Promise<readonly Finding[]> {
  return check.run(surroundings, signal);
}

/** A check that has made something gets the time to take it away; the others are left behind. */
async function cleanedUp(check: Check, { clock }: Surroundings, work: Promise<unknown>): Promise<void> {
  const settled = work.then(
    () => undefined,
    () => undefined,
  );
  if (check.cleanUpMs !== undefined) await inTime(clock, check.cleanUpMs, settled).catch(() => undefined);
}

function afterError({ title, deadlineMs }: Check, error: unknown, stop: AbortSignal): Finding {
  if (stop.aborted) return unseen(title, 'it was interrupted', 'Run it again.');
  const because = whyNotLooked(error);
  if (because !== undefined) return unseen(title, because.why, because.fix);
  if (error instanceof TimeoutError)
    return failed(
      title,
      `no result within ${deadlineMs / 1000} s`,
      'Something on the way does not answer. Run it again; if it stays, the other findings of this area say where.',
    );
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return failed(
    title,
    `this check itself broke: ${said.split('\n').slice(0, 2).join(' ')}`,
    'This is a bug in Tiphys. Please report it with this sentence.',
  );
}
