import { durationText } from './duration-text.ts';
import { escapeHtml } from './escape-html.ts';
import type { Report, ReportNode } from './report.ts';
import { stateMarks } from './state-marks.ts';

/** A row for every node that ran: the thin line is waiting, the bar is work; the critical path is marked. */
export function htmlTimeline(report: Report): string {
  const rows = report.nodes.map((node, index) => ({ node, index })).filter(({ node }) => node.startedAt !== undefined);
  if (rows.length === 0 || report.durationSeconds <= 0) return '';
  rows.sort((a, b) => (a.node.waitedSeconds ?? 0) - (b.node.waitedSeconds ?? 0) || a.index - b.index);
  const critical = new Set(report.criticalPath.map(({ node }) => node));
  const stages = new Set(rows.flatMap(({ node }) => node.segments.map(({ stage }) => stage)));
  const lines = rows.map(({ node, index }) =>
    timelineRow(node, { index, total: report.durationSeconds, critical: critical.has(node.name) }),
  );
  return `<section aria-labelledby="time-title"><h2 id="time-title">Timeline</h2>
<p class="note legend"><span class="key wait"></span>waiting ${[...stages].map((stage) => `<span class="key stage-${stage}"></span>${stageWords[stage]}`).join(' ')} <b>◆ critical path</b></p>
<div class="timeline" style="--rows:${rows.length}"><div class="axis" aria-hidden="true">${axis(report.durationSeconds)}</div>
${lines.join('\n')}
</div></section>`;
}

const stageWords: Record<ReportNode['segments'][number]['stage'], string> = {
  starting: 'starting',
  syncing: 'syncing',
  gate: 'becoming healthy',
  retrying: 'waiting to retry',
  deleting: 'deleting',
};

interface RowOptions {
  readonly index: number;
  readonly total: number;
  readonly critical: boolean;
}

function timelineRow(node: ReportNode, { index, total, critical }: RowOptions): string {
  const start = node.waitedSeconds ?? 0;
  const took = node.durationSeconds ?? 0;
  const share = (seconds: number): string => `${((Math.min(seconds, total) / total) * 100).toFixed(2)}%`;
  const parts = node.segments.map(
    ({ stage, startSeconds, endSeconds }) =>
      `<i class="stage-${stage}" style="left:${share(startSeconds)};width:${share(endSeconds - startSeconds)}" title="${stageWords[stage]} ${escapeHtml(durationText(endSeconds - startSeconds))}"></i>`,
  );
  const label = `${node.name}: waited ${durationText(start)}, took ${durationText(took)}, ${node.state}`;
  return `<a class="row state-${node.state}${critical ? ' critical' : ''}" href="#node-${index}" data-n="${index}" aria-label="${escapeHtml(label)}"><span class="name">${critical ? '◆ ' : ''}${node.state === 'failed' || node.state === 'orphaned' ? `${stateMarks[node.state]} ` : ''}${escapeHtml(node.name)}</span><span class="track"><i class="wait" style="width:${share(start)}"></i>${parts.join('')}</span><span class="took">${escapeHtml(durationText(took))}</span></a>`;
}

function axis(total: number): string {
  const step = niceSteps.find((seconds) => total / seconds <= 8) ?? Math.ceil(total / 8 / 86_400) * 86_400;
  const ticks: string[] = [];
  for (let at = 0; at <= total; at += step) {
    ticks.push(
      `<span style="left:${((at / total) * 100).toFixed(2)}%">${at === 0 ? '0' : escapeHtml(tickText(at))}</span>`,
    );
  }
  return `<span class="ticks">${ticks.join('')}</span>`;
}

const niceSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400];

function tickText(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  return seconds < 3600 || seconds % 3600 !== 0 ? `${Math.round(seconds / 60)}m` : `${seconds / 3600}h`;
}
