import { durationText } from '../report/duration-text.ts';
import { markdownHint, markdownTable, markdownText } from '../report/markdown-text.ts';
import type { PreflightReport } from './preflight-report.ts';
import {
  type FindingGroup,
  findingGroups,
  inventoryLines,
  nextSteps,
  notLookedAt,
  preflightVerdict,
  snapshotLine,
  verdictMarks,
} from './preflight-words.ts';

/** The report as Markdown: for a ticket or a merge request. */
export function preflightMarkdown(report: PreflightReport): string {
  const { verdict, detail } = preflightVerdict(report);
  const sign = report.outcome === 'ready' ? '✅' : report.outcome === 'warnings' ? '⚠️' : '❌';
  const sections = [
    `# ${sign} preflight ${markdownText(report.platform)}: ${verdict}`,
    `${detail} · environment ${markdownText(report.environment)}, cluster ${markdownText(report.cluster)} · ${report.startedAt}`,
    ...section('Failures', findingGroups(report, 'fail').map(item)),
    ...section('Warnings', findingGroups(report, 'warn').map(item)),
    ...section(
      'Not looked at',
      notLookedAt(report).map(
        ({ abouts, saw, fix }) =>
          `**${abouts.map(markdownText).join(', ')}**: ${markdownText(saw)} **→** ${markdownHint(fix)}`,
      ),
    ),
    ...checks(report),
    ...section('Cluster', inventoryLines(report).map(markdownText)),
    ...connectivity(report),
    ...credentials(report),
    ...section(
      'Snapshot',
      [snapshotLine(report)].flatMap((line) => (line === undefined ? [] : [markdownText(line)])),
    ),
    ...section('What next', nextSteps(report).map(markdownHint)),
  ];
  return sections.join('\n\n');
}

function item({ check, findings, fix }: FindingGroup): string {
  const remedy = fix === '' ? '' : `\n  **→** ${markdownHint(fix)}`;
  const said = findings.map(
    ({ about, saw }) => `**${markdownText(about)}** (${markdownText(check)}): ${markdownText(saw)}`,
  );
  return `${said.join('\n  ')}${remedy}`;
}

function section(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`## ${title}`, items.map((text) => `- ${text}`).join('\n')];
}

function checks({ checks: all }: PreflightReport): readonly string[] {
  const rows = all.flatMap(({ title, seconds, findings }) =>
    findings.map(({ verdict, about, saw }, index) => [
      index === 0 ? markdownText(title) : '',
      `${verdictMarks[verdict]} ${verdict}`,
      markdownText(about),
      markdownText(saw),
      index === 0 ? durationText(seconds) : '',
    ]),
  );
  return rows.length === 0 ? [] : ['## Checks', markdownTable(['check', 'verdict', 'what', 'saw', 'took'], rows)];
}

function connectivity({ connectivity: all }: PreflightReport): readonly string[] {
  const rows = all.map(({ verdict, about, address, from, via, milliseconds }) => [
    verdictMarks[verdict],
    markdownText(about),
    markdownText(address),
    from,
    markdownText(via ?? ''),
    milliseconds === undefined ? '' : `${Math.round(milliseconds)} ms`,
  ]);
  const head = ['', 'what', 'address', 'from', 'proxy', 'answered in'];
  return rows.length === 0 ? [] : ['## Connectivity', markdownTable(head, rows)];
}

function credentials({ credentials: all }: PreflightReport): readonly string[] {
  const rows = all.map(({ verdict, about, saw }) => [verdictMarks[verdict], markdownText(about), markdownText(saw)]);
  return rows.length === 0 ? [] : ['## Credentials', markdownTable(['', 'of', 'saw'], rows)];
}
