import { durationText } from './duration-text.ts';
import { escapeHtml } from './escape-html.ts';
import type { GraphLayout } from './graph-drawing.ts';
import { htmlNodes } from './html-nodes.ts';
import { htmlPage } from './html-page.ts';
import { pageScript } from './html-script.ts';
import {
  htmlBootstrap,
  htmlComparison,
  htmlFailures,
  htmlFindings,
  htmlLeftovers,
  htmlNext,
  htmlWarnings,
} from './html-sections.ts';
import { htmlStacks } from './html-stacks.ts';
import { htmlTimeline } from './html-timeline.ts';
import { isGood, outcomeText } from './outcome-text.ts';
import type { Report } from './report.ts';
import { reportGraph } from './report-graph.ts';

/** The report as one HTML file that needs nothing else; without a layout it has no picture of the graph. */
export function htmlReport(report: Report, layout?: GraphLayout): string {
  const title = `${report.action} ${report.platform}: ${outcomeText(report).verdict}`;
  const body = `${header(report)}
<main>
${[
  htmlFailures(report),
  htmlFindings(report),
  htmlLeftovers('Left behind', report.orphans),
  htmlNext(report),
  layout === undefined ? '' : graphSection(report, layout),
  htmlTimeline(report),
  htmlNodes(report),
  htmlLeftovers('Kept on purpose', report.retained),
  htmlComparison(report),
  htmlBootstrap(report),
  htmlWarnings(report),
]
  .filter((section) => section !== '')
  .join('\n')}
</main>
<aside id="card" role="region" aria-label="Selected app" aria-live="polite" hidden><button type="button" id="close" aria-label="Close">×</button><div id="card-body"></div></aside>
<footer>Written by Tiphys${report.runId === '' ? '' : ` · run ${escapeHtml(report.runId)}`}${report.workflow === undefined ? '' : ` · Workflow ${escapeHtml(report.workflow)}`}</footer>`;
  return htmlPage({ title, body, script: pageScript });
}

function header(report: Report): string {
  const { verdict } = outcomeText(report);
  const good = isGood(report.outcome);
  const tone = good ? 'good' : report.outcome === 'unfinished' ? 'calm' : 'bad';
  const scope = report.scope === 'platform' ? '' : ` <small>${escapeHtml(report.scope)}</small>`;
  return `<header class="${tone}">
<h1>${escapeHtml(report.platform)}${scope}</h1>
<p class="verdict"><span class="badge">${good ? '✓' : tone === 'bad' ? '✗' : '…'} ${escapeHtml(`${report.action}: ${verdict}`)}</span></p>
${report.interrupted === undefined ? '' : `<p>Interrupted: ${escapeHtml(report.interrupted)}</p>`}
<dl class="tiles">${tiles(report).join('')}</dl>
${htmlStacks(report)}
</header>`;
}

function tiles(report: Report): readonly string[] {
  const tile = (name: string, value: string): string => `<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const counted = (['healthy', 'skipped', 'removed', 'retained', 'failed', 'orphaned', 'blocked', 'pending'] as const)
    .map((state) => ({ state, count: report.nodes.filter((node) => node.state === state).length }))
    .filter(({ count }) => count > 0);
  const path = report.criticalPath.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    ...counted.map(({ state, count }) => tile(state, `<span class="dot state-${state}"></span>${count}`)),
    tile('took', escapeHtml(durationText(report.durationSeconds))),
    ...(report.criticalPath.length > 0 ? [tile('critical path', escapeHtml(durationText(path)))] : []),
    ...(report.held.length > 0 ? [tile('still held', String(report.held.length))] : []),
    ...(report.startedAt === undefined
      ? []
      : [
          tile(
            'started',
            `<time datetime="${escapeHtml(report.startedAt)}">${escapeHtml(shortTime(report.startedAt))}</time>`,
          ),
        ]),
  ];
}

function shortTime(at: string): string {
  return at.replace('T', ' ').replace(/:\d\d(\.\d+)?Z$/, ' UTC');
}

function graphSection(report: Report, layout: GraphLayout): string {
  const [width, height] = [Math.ceil(layout.width) + 16, Math.ceil(layout.height) + 16];
  return `<section aria-labelledby="graph-title">
<h2 id="graph-title">Graph</h2>
<p class="note">From left to right in the order of the needs; dashed lines are soft, the thick line is the critical path. Choose an app to see its evidence.
<button type="button" id="zoom" aria-pressed="false" hidden>Actual size</button></p>
<div class="graph" tabindex="0" role="group" aria-label="Dependency graph">
<svg viewBox="-8 -8 ${width} ${height}" width="${width}" height="${height}" style="--w:${width}px">${reportGraph(report, layout)}</svg>
</div></section>`;
}
