import { durationText } from '../report/duration-text.ts';
import { countKinds } from './cluster-snapshot.ts';
import type { Finding, Verdict } from './finding.ts';
import type { PreflightReport } from './preflight-report.ts';
import { bytesText, round } from './quantity.ts';

/** One sign for each verdict, so that nothing is told by colour alone. */
export const verdictMarks: Record<Verdict, string> = { pass: '✓', warn: '!', fail: '✗' };

/** The outcome in two pieces: `not ready`, and `2 failed, 3 warnings, 31 passed · 4.1s`. */
export function preflightVerdict({ outcome, counts, durationSeconds }: PreflightReport): {
  readonly verdict: string;
  readonly detail: string;
} {
  const parts = [
    ...(counts.fail === 0 ? [] : [`${counts.fail} failed`]),
    ...(counts.warn === 0 ? [] : [plural(counts.warn, 'warning')]),
    `${counts.pass} passed`,
  ];
  return { verdict: verdicts[outcome], detail: `${parts.join(', ')} · ${durationText(durationSeconds)}` };
}

const verdicts: Record<PreflightReport['outcome'], string> = {
  ready: 'ready',
  warnings: 'ready, with warnings',
  'not-ready': 'not ready',
};

/** Findings of one check that one remedy mends. */
export interface FindingGroup {
  readonly check: string;
  readonly findings: readonly Finding[];
  readonly fix: string;
}

/** Findings of one verdict that somebody has looked at, in the order of the report; forty rights that one command gives are one thing. */
export function findingGroups({ checks }: PreflightReport, verdict: Verdict): readonly FindingGroup[] {
  return checks.flatMap(({ title, findings }) => {
    const groups = new Map<string, Finding[]>();
    for (const finding of findings) {
      if (finding.verdict !== verdict || finding.looked === false) continue;
      const group = groups.get(finding.fix ?? '');
      if (group === undefined) groups.set(finding.fix ?? '', [finding]);
      else group.push(finding);
    }
    return [...groups].map(([fix, all]) => ({ check: title, findings: all, fix }));
  });
}

/** What nobody has looked at, together where the reason is the same: one cause must not look like ten. */
export interface NotLookedAt {
  readonly abouts: readonly string[];
  readonly saw: string;
  readonly fix: string;
}

export function notLookedAt({ checks }: PreflightReport): readonly NotLookedAt[] {
  const groups = new Map<string, { abouts: string[]; saw: string; fix: string }>();
  for (const { about, saw, fix = '', looked } of checks.flatMap(({ findings }) => findings)) {
    if (looked !== false) continue;
    const key = `${saw}\n${fix}`;
    const group = groups.get(key) ?? { abouts: [], saw, fix };
    group.abouts.push(about);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The cluster in a few lines. */
export function inventoryLines({ inventory }: PreflightReport): readonly string[] {
  const { version, platform, nodes, total, free, storageClasses, definitions } = inventory;
  const open = nodes.filter(({ takesPods }) => takesPods).length;
  return [
    ...(version === undefined ? [] : [`Kubernetes ${version}${platform === undefined ? '' : ` (${platform})`}`]),
    ...(nodes.length === 0 ? [] : [`${plural(nodes.length, 'node')}, ${open} of them take pods`]),
    ...(total === undefined || free === undefined
      ? []
      : [
          `${round(free.cpu)} of ${round(total.cpu)} cores, ${bytesText(free.memoryBytes)} of ${bytesText(total.memoryBytes)} memory and ${free.pods} of ${total.pods} pods are free`,
        ]),
    ...(storageClasses.length === 0 ? [] : [`storage classes: ${storageClasses.join(', ')}`]),
    ...(definitions.length === 0 ? [] : [`${plural(definitions.length, 'definition')} of custom resources`]),
  ];
}

/** The snapshot in one line. */
export function snapshotLine({ snapshot }: PreflightReport): string | undefined {
  if (snapshot === undefined) return undefined;
  const kinds = countKinds(snapshot);
  const most = kinds.slice(0, 6).map(([kind, count]) => `${count} ${kind}`);
  const unread = snapshot.unread.length === 0 ? '' : `; not read: ${snapshot.unread.join(', ')}`;
  return `${plural(snapshot.objects.length, 'object')} of ${plural(kinds.length, 'kind')} (${most.join(', ')}${kinds.length > 6 ? ' …' : ''})${unread}`;
}

/** What to do now. */
export function nextSteps({ outcome, exitCode, counts, snapshot }: PreflightReport): readonly string[] {
  const keep =
    snapshot === undefined
      ? []
      : [
          'Keep the snapshot for the day of the teardown: `tiphys preflight <folder> -o json --out before.json` now, `tiphys preflight <folder> --compare before.json` then.',
        ];
  if (exitCode === 3)
    return ['Install what is missing on this machine (see Failures), then run `tiphys preflight` again.'];
  if (outcome === 'not-ready')
    return ['Do what the arrows under Failures say, then run `tiphys preflight` again. Nothing has been changed.'];
  const mind = counts.warn === 0 ? '' : 'Read the warnings; they do not stop anything. ';
  return [`${mind}Go on with \`tiphys deploy <folder>\`: it bootstraps an empty cluster first.`, ...keep];
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
