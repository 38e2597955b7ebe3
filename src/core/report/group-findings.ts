import type { Finding } from './report.ts';

export interface FindingGroup {
  readonly severity: Finding['severity'];
  readonly rule: string;
  readonly remedy: string;
  readonly findings: readonly Finding[];
}

/** Findings of one rule with one remedy together, the worst first: the same sentence forty times is one finding on forty apps. */
export function groupFindings(findings: readonly Finding[]): readonly FindingGroup[] {
  const groups = new Map<string, FindingGroup & { findings: Finding[] }>();
  for (const finding of findings) {
    const { severity, rule, remedy } = finding;
    const key = JSON.stringify([severity, rule, remedy]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { severity, rule, remedy, findings: [finding] });
    else known.findings.push(finding);
  }
  return [...groups.values()].sort((a, b) => worstFirst.indexOf(a.severity) - worstFirst.indexOf(b.severity));
}

/** What a finding is about: the app, the object, or both. */
export function findingPlace({ node, object }: Finding): string {
  return [node, object].flatMap((part) => part ?? []).join(' ');
}

/** A finding as a sentence that names what it is about, once. */
export function findingText(finding: Finding): string {
  const place = findingPlace(finding);
  return finding.what.startsWith(place) ? finding.what : `${place}: ${finding.what}`;
}

const worstFirst: readonly Finding['severity'][] = ['error', 'warning', 'info'];
