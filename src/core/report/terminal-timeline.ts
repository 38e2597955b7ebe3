import { durationText } from './duration-text.ts';
import type { Report, ReportNode } from './report.ts';
import type { Span, Style, StyledLine } from './styled-line.ts';
import { pad, textWidth } from './text-width.ts';

/** Every app on a line: how long it took, how long it waited, and when that was; a platform too large for that by stack. */
export function terminalTimeline(report: Report, width: number): readonly StyledLine[] {
  const rows =
    report.nodes.length > 80 ? largeRows(report) : report.nodes.filter(hasRun).sort(byStart).map(nodeRow(report));
  if (rows.length === 0) return [];
  const nameWidth = Math.min(
    Math.max(8, ...rows.map(({ name }) => textWidth(name))),
    Math.max(12, Math.floor(width * 0.32)),
  );
  const barWidth = Math.max(0, width - nameWidth - 2 - 2 - 9 - 9 - 2);
  const scale = report.durationSeconds > 0 ? barWidth / report.durationSeconds : 0;
  return [
    [
      {
        text: `  ${pad('', nameWidth + 2)}${'took'.padStart(8)} ${'waited'.padStart(8)}${barWidth < 20 ? '' : '  █ critical path'}`,
        style: 'dim',
      },
    ],
    ...rows.map(
      (row): StyledLine => [
        ...rowStart(row, nameWidth),
        ` ${duration(row.took)} `,
        { text: duration(row.waited), style: 'dim' },
        '  ',
        ...bar(row, { barWidth, scale }),
      ],
    ),
    ...unstarted(report),
  ];
}

/** When nothing ran there are no times to show: every stack and how it stands. */
export function terminalStacks({ stacks }: Report): readonly StyledLine[] {
  const nameWidth = Math.max(0, ...stacks.map(({ name }) => textWidth(name)));
  return stacks.map(({ name, health, done, nodes }): StyledLine => {
    const style: Style = done === nodes ? 'good' : health === 'Failed' ? 'bad' : 'warn';
    return [
      '  ',
      { text: done === nodes ? '✓' : '✗', style },
      ` ${pad(name, nameWidth)}  ${done}/${nodes}  `,
      { text: health, style },
    ];
  });
}

interface Row {
  readonly name: string;
  readonly mark: Span;
  readonly took: number | undefined;
  readonly waited: number | undefined;
  readonly critical: boolean;
}

function nodeRow({ criticalPath }: Report): (node: ReportNode) => Row {
  const critical = new Set(criticalPath.map(({ node }) => node));
  return (node) => ({
    name: node.name,
    mark: marks[node.state],
    took: node.durationSeconds,
    waited: node.waitedSeconds,
    critical: critical.has(node.name),
  });
}

/** One line a stack, then the slowest apps: a thousand lines would hide what they say. */
function largeRows(report: Report): readonly Row[] {
  const slowest = [...report.nodes].filter(hasRun).sort((a, b) => (b.durationSeconds ?? 0) - (a.durationSeconds ?? 0));
  return [...report.stacks.flatMap((stack) => stackRow(report, stack)), ...slowest.slice(0, 15).map(nodeRow(report))];
}

function stackRow(report: Report, { name, done, nodes, failed }: Report['stacks'][number]): readonly Row[] {
  const members = report.nodes.filter((node) => node.stack === name && hasRun(node));
  if (members.length === 0) return [];
  const start = Math.min(...members.map(({ waitedSeconds }) => waitedSeconds ?? 0));
  const end = Math.max(...members.map((node) => (node.waitedSeconds ?? 0) + (node.durationSeconds ?? 0)));
  const mark = failed > 0 ? marks.failed : done === nodes ? marks.healthy : marks.blocked;
  return [{ name: `${name} (${done}/${nodes})`, mark, took: end - start, waited: start, critical: false }];
}

function hasRun(node: ReportNode): boolean {
  return node.startedAt !== undefined;
}

function byStart(a: ReportNode, b: ReportNode): number {
  const [aStart, bStart] = [a.waitedSeconds ?? 0, b.waitedSeconds ?? 0];
  return aStart === bStart ? (a.name < b.name ? -1 : 1) : aStart - bStart;
}

function rowStart({ mark, name }: Row, nameWidth: number): StyledLine {
  return ['  ', mark, ` ${pad(name, nameWidth)}`];
}

function duration(seconds: number | undefined): string {
  return (seconds === undefined ? '' : durationText(seconds)).padStart(8);
}

/** When it ran, on the run's own time axis. The critical path is drawn solid: it is what to shorten. */
function bar({ took = 0, waited = 0, critical, mark }: Row, at: { barWidth: number; scale: number }): readonly Span[] {
  if (at.barWidth < 10) return [];
  const start = Math.min(at.barWidth - 1, Math.round(waited * at.scale));
  const length = Math.max(1, Math.min(at.barWidth - start, Math.round(took * at.scale)));
  const style: Style = mark.style === 'bad' ? 'bad' : critical ? 'busy' : mark.style;
  return [
    { text: '·'.repeat(start), style: 'dim' },
    { text: (critical ? '█' : '▒').repeat(length), style },
  ];
}

function unstarted({ nodes }: Report): readonly StyledLine[] {
  const skipped = nodes.filter((node) => node.state === 'skipped' && !hasRun(node)).length;
  const blocked = nodes.filter(({ state }) => state === 'blocked').length;
  const waiting = nodes.filter((node) => node.state === 'pending' && !hasRun(node)).length;
  const told = [
    ...(skipped > 0 ? [`${skipped} skipped: they were as wanted already`] : []),
    ...(blocked > 0 ? [`${blocked} blocked: what they need failed`] : []),
    ...(waiting > 0 ? [`${waiting} not started`] : []),
  ];
  return told.map((text): StyledLine => [{ text: `  – ${text}`, style: 'dim' }]);
}

const marks: Record<ReportNode['state'], Span> = {
  healthy: { text: '✓', style: 'good' },
  skipped: { text: '✓', style: 'dim' },
  failed: { text: '✗', style: 'bad' },
  blocked: { text: '–', style: 'dim' },
  removed: { text: '✓', style: 'good' },
  retained: { text: '■', style: 'warn' },
  orphaned: { text: '✗', style: 'bad' },
  pending: { text: '…', style: 'busy' },
};
