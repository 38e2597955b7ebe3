import { appOf } from '../platform/node-name.ts';
import type { Report } from './report.ts';

/** What to do next, each a sentence that names the command. */
export function recommend(
  report: Report,
  { nextSteps = [], folder, isSandbox = false }: Surroundings,
): readonly string[] {
  // A sandbox ends with its process: there is nothing to continue, and nothing stays held.
  if (isSandbox) return [...afterSandbox(report), ...aboutCompliance(report), ...nextSteps];
  return [
    ...afterInterruption(report),
    ...afterFailures(report, folder),
    ...afterTimeout(report),
    ...aboutHeld(report),
    ...aboutOrphans(report),
    ...aboutCompliance(report),
    ...nextSteps,
  ];
}

export interface Surroundings {
  readonly nextSteps?: readonly string[] | undefined;
  /** The platform's folder, so that a command can be pasted. */
  readonly folder?: string | undefined;
  readonly isSandbox?: boolean | undefined;
}

function afterSandbox({ failures, interrupted }: Report): readonly string[] {
  if (failures.length === 0 && interrupted === undefined) return [];
  return [
    'This sandbox is gone with its process, and the next one is fresh. On a real cluster the same command would continue here, and what was not deployed would stay held.',
  ];
}

function afterInterruption({ interrupted }: Report): readonly string[] {
  if (interrupted === undefined) return [];
  return ['Run the same command again: it looks at the cluster and continues where this run stopped.'];
}

function afterFailures({ failures, action }: Report, folder: string | undefined): readonly string[] {
  const [first] = failures;
  if (first === undefined) return [];
  if (action === 'bootstrap')
    return ['Mend it as the failure says, then run the same command again: what is installed is kept.'];
  const which = failures.length === 1 ? first.node : `the ${failures.length} failures above`;
  const explain = `\`tiphys explain ${appOf(first.node)}${folder === undefined ? '' : ` ${folder}`}\` shows what it needs, what waits for it and what its gate sees now.`;
  if (action === 'validate') return [`Mend ${which}; \`tiphys deploy\` brings back what is missing.`, explain];
  const kept = action === 'teardown' ? 'what is gone stays gone' : 'what is Healthy is kept';
  return [`Mend ${which}, then run the same command again: ${kept}, and it continues from there.`, explain];
}

function afterTimeout({ outcome }: Report): readonly string[] {
  if (outcome !== 'timeout') return [];
  return ['The run reached its own time-out: raise it with `--timeout`, or run the same command again to continue.'];
}

function aboutHeld({ held, outcome, action }: Report): readonly string[] {
  if (held.length === 0 || outcome === 'unfinished') return [];
  const stay = held.length === 1 ? '1 Application stays' : `${held.length} Applications stay`;
  if (action === 'teardown') {
    return [`${stay} held, so that nothing that was removed is created again; \`tiphys deploy\` releases them.`];
  }
  return [`${stay} held, so that Argo CD starts nothing before its turn; the next run releases them.`];
}

function aboutOrphans({ orphans }: Report): readonly string[] {
  if (orphans.length === 0) return [];
  return ['Remove the objects that were left behind as described above, then run `tiphys teardown` again to confirm.'];
}

function aboutCompliance({ compliance }: Report): readonly string[] {
  const errors = compliance.filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return [];
  return [
    `Mend the ${errors === 1 ? 'finding' : `${errors} findings`} above in Git, then run \`tiphys validate\` again.`,
  ];
}
