import { bootstrapSummary } from './bootstrap-summary.ts';
import { comparisonSummary } from './comparison-summary.ts';
import { durationText } from './duration-text.ts';
import { markdownHint, markdownTable, markdownText } from './markdown-text.ts';
import { isGood, outcomeText } from './outcome-text.ts';
import type { Report } from './report.ts';

/** The report as Markdown: for a merge request, a ticket or a job summary. */
export function markdownReport(report: Report): string {
  const { verdict, detail } = outcomeText(report);
  const scope = report.scope === 'platform' ? '' : ` (${markdownText(report.scope)})`;
  const sections = [
    `# ${isGood(report.outcome) ? '✅' : '❌'} ${report.action} ${markdownText(report.platform)}${scope}: ${verdict}`,
    `${detail}${report.runId === '' ? '' : ` · run ${markdownText(report.runId)}`}${report.workflow === undefined ? '' : ` · Workflow ${markdownText(report.workflow)}`}`,
    ...(report.interrupted === undefined ? [] : [`Interrupted: ${markdownText(report.interrupted)}`]),
    ...bootstrap(report),
    ...failures(report),
    ...findings(report),
    ...leftovers('Left behind', report.orphans),
    ...leftovers('Kept on purpose', report.retained),
    ...comparison(report),
    ...criticalPath(report),
    ...stacks(report),
    ...nodes(report),
    ...section(
      'Warnings',
      report.warnings.map(({ message, hint, node }) => warning(message, hint, node)),
    ),
    ...section('What next', report.recommendations.map(markdownHint)),
  ];
  return sections.join('\n\n');
}

function bootstrap(report: Report): readonly string[] {
  const summary = bootstrapSummary(report);
  if (summary === undefined) return [];
  return section(`Bootstrap: ${markdownText(summary.line)}`, summary.roles.map(markdownText));
}

function section(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`## ${title}`, items.map((item) => `- ${item}`).join('\n')];
}

function failures(report: Report): readonly string[] {
  const items = report.failures.map(({ node, name, because, hint, blocks }) => {
    const blocked = blocks.length === 0 ? '' : ` Blocks ${blocks.length}: ${blocks.map(markdownText).join(', ')}.`;
    return `**${markdownText(node)}** (${markdownText(name)}): ${markdownText(because)}\n  **→** ${markdownHint(hint)}${blocked}`;
  });
  return section('Failures', items);
}

function findings({ compliance }: Report): readonly string[] {
  const items = compliance.map(({ severity, rule, node, object, what, remedy }) => {
    const where = [node, object].flatMap((part) => (part === undefined ? [] : [markdownText(part)])).join(' ');
    return `**${severity}** ${where} (${markdownText(rule)}): ${markdownText(what)} **→** ${markdownHint(remedy)}`;
  });
  return section('Compliance', items);
}

function leftovers(title: string, objects: Report['orphans']): readonly string[] {
  const items = objects.map(({ object, because, hint }) => warning(because, hint, object));
  return section(title, items);
}

function comparison(report: Report): readonly string[] {
  const summary = comparisonSummary(report);
  if (summary === undefined) return [];
  const lists = summary.lists.map(({ title, objects }) => {
    return `${title} (${objects.length}): ${objects.map(markdownText).join(', ')}`;
  });
  return ['## Compared with before', [summary.line, ...lists].map((item) => `- ${item}`).join('\n')];
}

function warning(message: string, hint: string | undefined, about: string | undefined): string {
  const lead = about === undefined ? '' : `**${markdownText(about)}**: `;
  return `${lead}${markdownText(message)}${hint === undefined ? '' : ` **→** ${markdownHint(hint)}`}`;
}

function criticalPath({ criticalPath: path }: Report): readonly string[] {
  if (path.length === 0) return [];
  const total = path.reduce((sum, { seconds }) => sum + seconds, 0);
  const chain = path.map(({ node, seconds }) => `${markdownText(node)} ${durationText(seconds)}`).join(' → ');
  return [`## Critical path (${durationText(total)})`, chain];
}

function stacks(report: Report): readonly string[] {
  const rows = report.stacks.map(({ name, health, done, nodes: all }) => [
    markdownText(name),
    health,
    `${done} of ${all}`,
  ]);
  return rows.length === 0 ? [] : ['## Stacks', markdownTable(['stack', 'health', 'done'], rows)];
}

function nodes(report: Report): readonly string[] {
  const rows = report.nodes.map(({ name, stack, state, durationSeconds, waitedSeconds, attempts, because }) => [
    markdownText(name),
    markdownText(stack),
    state,
    durationSeconds === undefined ? '' : durationText(durationSeconds),
    waitedSeconds === undefined ? '' : durationText(waitedSeconds),
    attempts > 1 ? String(attempts) : '',
    markdownText(because ?? ''),
  ]);
  const head = ['app', 'stack', 'state', 'took', 'waited', 'attempts', 'because'];
  return rows.length === 0 ? [] : ['## Apps', markdownTable(head, rows)];
}
