import { durationText } from '../report/duration-text.ts';
import {
  plainText,
  printLines,
  type Span,
  type Style,
  type StyledLine,
  type TerminalOptions,
} from '../report/styled-line.ts';
import { pad, textWidth, wrap } from '../report/text-width.ts';
import type { CheckResult, Verdict } from './finding.ts';
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

/** The report for a terminal: the verdict in one line, what failed with what to do, then everything that was looked at. */
export function preflightText(report: PreflightReport, options: TerminalOptions): string {
  const { width } = options;
  const sections: readonly (readonly StyledLine[])[] = [
    headline(report),
    findings('Failures', findingGroups(report, 'fail'), width),
    findings('Warnings', findingGroups(report, 'warn'), width),
    unlooked(report, width),
    checks(report),
    list('Cluster', inventoryLines(report), width),
    nodes(report),
    connectivity(report, width),
    credentials(report, width),
    list(
      'Snapshot',
      [snapshotLine(report)].filter((line) => line !== undefined),
      width,
    ),
    list('What next', nextSteps(report), width),
  ];
  const shown = sections.filter((section) => section.length > 0);
  return printLines(
    shown.flatMap((section, index) => (index === 0 ? section : [[], ...section])),
    options,
  );
}

const styles: Record<Verdict, Style> = { pass: 'good', warn: 'warn', fail: 'bad' };

function mark(verdict: Verdict): Span {
  return { text: `  ${verdictMarks[verdict]} `, style: styles[verdict] };
}

function headline(report: PreflightReport): readonly StyledLine[] {
  const { verdict, detail } = preflightVerdict(report);
  const style = report.outcome === 'ready' ? 'good' : report.outcome === 'warnings' ? 'warn' : 'bad';
  const sign = report.outcome === 'ready' ? '✓ ' : report.outcome === 'warnings' ? '! ' : '✗ ';
  return [
    [
      { text: sign, style },
      { text: `preflight ${report.platform}: `, style: 'strong' },
      { text: verdict, style },
      ` · ${detail}`,
    ],
    [{ text: `  environment ${report.environment}, cluster ${report.cluster}; nothing was changed`, style: 'dim' }],
  ];
}

function findings(heading: string, groups: readonly FindingGroup[], width: number): readonly StyledLine[] {
  return groups.length === 0 ? [] : [title(heading), ...groups.flatMap((group) => findingGroup(group, width))];
}

function findingGroup({ check, findings: all, fix }: FindingGroup, width: number): readonly StyledLine[] {
  const [first, ...more] = all;
  if (first === undefined) return [];
  const { verdict, about, saw } = first;
  const said = more.length === 0 ? [saw] : all.map((one) => `${one.about}: ${one.saw}`);
  return [
    [
      mark(verdict),
      { text: more.length === 0 ? about : check, style: 'strong' },
      { text: more.length === 0 ? `  ${check}` : `  ${all.length} times`, style: 'dim' },
    ],
    ...said.flatMap((text) => paragraph(text, width, '      ')),
    ...(fix === '' ? [] : paragraph(fix, width, '      ', '→ ')),
  ];
}

function unlooked(report: PreflightReport, width: number): readonly StyledLine[] {
  const groups = notLookedAt(report);
  if (groups.length === 0) return [];
  return [
    title('Not looked at'),
    ...groups.flatMap(({ abouts, saw, fix }): readonly StyledLine[] => [
      ...paragraph(`${abouts.join(', ')}: ${saw.replace(/^not looked at: /, '')}`, width, '  ', '· '),
      ...(fix === '' ? [] : paragraph(fix, width, '      ', '→ ')),
    ]),
  ];
}

function checks({ checks: all }: PreflightReport): readonly StyledLine[] {
  const widest = Math.max(0, ...all.map(({ title: text }) => textWidth(plainText(text))));
  return [title('Checks'), ...all.map((check) => checkLine(check, widest))];
}

function checkLine({ title: text, verdict, findings: found, seconds }: CheckResult, widest: number): StyledLine {
  const good = found.filter((finding) => finding.verdict === 'pass').length;
  const what = found.length === 1 ? (found[0]?.saw ?? '') : `${good} of ${found.length} passed`;
  return [
    mark(verdict),
    pad(plainText(text), widest),
    `  ${what}`,
    { text: `  ${durationText(seconds)}`, style: 'dim' },
  ];
}

function nodes({ inventory }: PreflightReport): readonly StyledLine[] {
  if (inventory.nodes.length === 0) return [];
  const widest = Math.max(...inventory.nodes.map(({ name }) => textWidth(plainText(name))));
  return [
    title('Nodes'),
    ...inventory.nodes.map(({ name, isReady, takesPods, version, roles, cpu }): StyledLine => {
      const state = takesPods ? 'Ready' : isReady ? 'Ready, takes no pods' : 'not Ready';
      const role = roles.length === 0 ? 'worker' : roles.join(', ');
      return [
        mark(isReady ? 'pass' : 'warn'),
        pad(plainText(name), widest),
        `  ${state}  ${role}  ${version}  ${cpu} cores`,
      ];
    }),
  ];
}

function connectivity({ connectivity: all }: PreflightReport, width: number): readonly StyledLine[] {
  if (all.length === 0) return [];
  return [
    title('Connectivity'),
    ...all.flatMap(({ verdict, about, saw, from }) =>
      paragraph(
        `${about}, from ${from === 'here' ? 'here' : 'inside the cluster'}: ${saw}`,
        width,
        '  ',
        `${verdictMarks[verdict]} `,
      ),
    ),
  ];
}

function credentials({ credentials: all }: PreflightReport, width: number): readonly StyledLine[] {
  if (all.length === 0) return [];
  return [
    title('Credentials'),
    ...all.flatMap(({ verdict, about, saw }) =>
      paragraph(`${about}: ${saw}`, width, '  ', `${verdictMarks[verdict]} `),
    ),
  ];
}

function list(heading: string, lines: readonly string[], width: number): readonly StyledLine[] {
  return lines.length === 0 ? [] : [title(heading), ...lines.flatMap((line) => paragraph(line, width, '  ', '· '))];
}

function title(text: string): StyledLine {
  return [{ text, style: 'strong' }];
}

/** The text in lines below each other; what leads the first one is left free before the others. */
function paragraph(text: string, width: number, indent: string, lead = ''): readonly StyledLine[] {
  const lines = wrap(plainText(text), width - indent.length - lead.length);
  return lines.map((line, index) => [`${indent}${index === 0 ? lead : ' '.repeat(lead.length)}${line}`]);
}
