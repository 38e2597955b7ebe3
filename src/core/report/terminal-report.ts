import { bootstrapSummary } from './bootstrap-summary.ts';
import { comparisonSummary } from './comparison-summary.ts';
import { durationText } from './duration-text.ts';
import { type FindingGroup, findingPlace, findingText, groupFindings } from './group-findings.ts';
import { isGood, outcomeText } from './outcome-text.ts';
import type { Finding, Report, ReportFailure } from './report.ts';
import { plainText, printLines, type Span, type Style, type StyledLine, type TerminalOptions } from './styled-line.ts';
import { terminalStacks, terminalTimeline } from './terminal-timeline.ts';
import { textWidth, wrap } from './text-width.ts';

/** The report for a terminal: the outcome in one line, causes with what to do, then times, then what next. */
export function terminalReport(report: Report, options: TerminalOptions): string {
  const { width } = options;
  const timeline = terminalTimeline(report, width);
  const sections: readonly (readonly StyledLine[])[] = [
    headline(report, width),
    bootstrap(report, width),
    failures(report, width),
    findings(report, width),
    leftovers('Left behind', report.orphans, width),
    leftovers('Kept on purpose', report.retained, width),
    comparison(report, width),
    timeline.length > 0 ? timeline : terminalStacks(report),
    criticalPath(report, width),
    warnings(report, width),
    next(report, width),
  ];
  const shown = sections.filter((section) => section.length > 0);
  return printLines(
    shown.flatMap((section, index) => (index === 0 ? section : [[], ...section])),
    options,
  );
}

function headline(report: Report, width: number): readonly StyledLine[] {
  const { verdict, detail } = outcomeText(report);
  const good = isGood(report.outcome);
  const unfinished = report.outcome === 'unfinished';
  const style: Style = good ? 'good' : unfinished ? 'warn' : 'bad';
  const scope = report.scope === 'platform' ? '' : ` (${report.scope})`;
  const about = `${[report.action, report.platform].join(' ').trim()}${scope}: `;
  const start: StyledLine = [
    { text: good ? '✓ ' : unfinished ? '… ' : '✗ ', style },
    { text: about, style: 'strong' },
    { text: verdict, style },
  ];
  const fits = textWidth(plainText(`${about}${verdict}${detail}`)) + 5 <= width;
  const why = report.interrupted;
  return [
    ...(fits ? [[...start, ` · ${detail}`]] : [start, [`  ${detail}`]]),
    ...(report.workflow === undefined ? [] : [dimLine(`  Workflow ${report.workflow}`)]),
    ...(why === undefined ? [] : paragraph(`Interrupted: ${why}`, { indent: 2, width, style: 'warn' })),
  ];
}

/** What came before the run: a line for all of it, and one a role. */
function bootstrap(report: Report, width: number): readonly StyledLine[] {
  const summary = bootstrapSummary(report);
  if (summary === undefined) return [];
  return [
    [...title('Bootstrap'), { text: `  ${summary.line}`, style: 'dim' }],
    ...summary.roles.flatMap((text) => paragraph(text, { indent: 2, width, lead: '· ' })),
  ];
}

function dimLine(text: string): StyledLine {
  return [{ text, style: 'dim' }];
}

function failures({ failures: causes, nodes }: Report, width: number): readonly StyledLine[] {
  if (causes.length === 0) return [];
  const stackOf = new Map(nodes.map(({ name, stack }) => [name, stack]));
  return [title('Failures'), ...causes.flatMap((cause) => failure(cause, stackOf.get(cause.node) ?? '', width))];
}

function failure(
  { node, name, because, hint, blocks }: ReportFailure,
  stack: string,
  width: number,
): readonly StyledLine[] {
  return [
    [{ text: '  ✗ ', style: 'bad' }, { text: node, style: 'strong' }, { text: ` ${stack}`, style: 'dim' }, `  ${name}`],
    ...paragraph(because, { indent: 6, width }),
    ...paragraph(hint, { indent: 6, width, lead: '→ ' }),
    ...(blocks.length === 0
      ? []
      : paragraph(`blocks ${blocks.length}: ${some(blocks, 6)}`, { indent: 6, width, style: 'dim' })),
  ];
}

function findings({ compliance }: Report, width: number): readonly StyledLine[] {
  if (compliance.length === 0) return [];
  return [title('Compliance'), ...groupFindings(compliance).flatMap((group) => findingGroup(group, width))];
}

function findingGroup({ severity, rule, remedy, findings: all }: FindingGroup, width: number): readonly StyledLine[] {
  const count = all.length === 1 ? '' : `  ${all.length} times`;
  const places = all.slice(1).map(findingPlace);
  return [
    [findingMarks[severity], { text: rule, style: 'strong' }, { text: count, style: 'dim' }],
    ...all.slice(0, 1).flatMap((first) => paragraph(findingText(first), { indent: 6, width })),
    ...(places.length === 0 ? [] : paragraph(`also ${some(places, 12)}`, { indent: 6, width, style: 'dim' })),
    ...paragraph(remedy, { indent: 6, width, lead: '→ ' }),
  ];
}

const findingMarks: Record<Finding['severity'], Span> = {
  error: { text: '  ✗ ', style: 'bad' },
  warning: { text: '  ! ', style: 'warn' },
  info: { text: '  · ', style: 'dim' },
};

function leftovers(heading: string, objects: Report['orphans'], width: number): readonly StyledLine[] {
  if (objects.length === 0) return [];
  const shown = objects.slice(0, 20);
  const more: StyledLine = [{ text: `  … and ${objects.length - shown.length} more`, style: 'dim' }];
  return [
    title(heading),
    ...shown.flatMap(({ object, because, hint }): readonly StyledLine[] => [
      ...paragraph(`${object}: ${because}`, { indent: 2, width, lead: '· ' }),
      ...(hint === undefined ? [] : paragraph(hint, { indent: 6, width, lead: '→ ' })),
    ]),
    ...(shown.length < objects.length ? [more] : []),
  ];
}

/** Against an earlier snapshot. */
function comparison(report: Report, width: number): readonly StyledLine[] {
  const summary = comparisonSummary(report);
  if (summary === undefined) return [];
  return [
    [...title('Compared with before'), { text: `  ${summary.line}`, style: 'dim' }],
    ...summary.lists.flatMap(({ title: whose, objects }) =>
      paragraph(`${whose} (${objects.length}): ${some(objects, 12)}`, { indent: 2, width, lead: '· ' }),
    ),
  ];
}

function criticalPath({ criticalPath: path, durationSeconds }: Report, width: number): readonly StyledLine[] {
  if (path.length === 0) return [];
  const seconds = path.reduce((sum, step) => sum + step.seconds, 0);
  const share =
    durationSeconds > 0 ? `, ${Math.min(100, Math.round((seconds / durationSeconds) * 100))} % of the run` : '';
  const chain = path.map((step) => `${step.node} ${durationText(step.seconds).replaceAll(' ', '\u00a0')}`).join(' → ');
  return [
    [...title('Critical path'), { text: `  ${durationText(seconds)}${share}`, style: 'dim' }],
    ...paragraph(chain, { indent: 2, width }),
  ];
}

function warnings({ warnings: all }: Report, width: number): readonly StyledLine[] {
  if (all.length === 0) return [];
  return [
    title('Warnings'),
    ...all.flatMap(({ message, hint, node }): readonly StyledLine[] => [
      ...paragraph(node === undefined ? message : `${node}: ${message}`, {
        indent: 2,
        width,
        lead: '! ',
        style: 'warn',
      }),
      ...(hint === undefined ? [] : paragraph(hint, { indent: 4, width, lead: '→ ' })),
    ]),
  ];
}

function next({ recommendations }: Report, width: number): readonly StyledLine[] {
  if (recommendations.length === 0) return [];
  return [title('What next'), ...recommendations.flatMap((text) => paragraph(text, { indent: 2, width, lead: '· ' }))];
}

function title(text: string): StyledLine {
  return [{ text, style: 'strong' }];
}

interface ParagraphOptions {
  readonly indent: number;
  readonly width: number;
  /** Stands before the first line; the others are indented as far. */
  readonly lead?: string;
  readonly style?: Style;
}

function paragraph(text: string, { indent, width, lead = '', style }: ParagraphOptions): readonly StyledLine[] {
  const lines = wrap(plainText(text), width - indent - lead.length);
  return lines.map((line, index): StyledLine => {
    const before = ' '.repeat(indent) + (index === 0 ? lead : ' '.repeat(lead.length));
    return style === undefined ? [before, line] : [{ text: before + line, style }];
  });
}

/** The first few names and how many more there are. */
function some(names: readonly string[], many: number): string {
  const rest = names.length - many;
  return `${names.slice(0, many).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
