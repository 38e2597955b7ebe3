import { durationText } from './duration-text.ts';
import { escapeHtml, hintHtml } from './escape-html.ts';
import { nodeLinks } from './html-sections.ts';
import type { Report, ReportNode } from './report.ts';
import { stateMarks } from './state-marks.ts';

/** Every node with its evidence, as a table; failures first. */
export function htmlNodes(report: Report): string {
  if (report.nodes.length === 0) return '';
  const link = nodeLinks(report.nodes);
  const neededBy = dependents(report.nodes);
  const rows = report.nodes
    .map((node, index) => ({ node, index }))
    .sort((a, b) => urgency.indexOf(a.node.state) - urgency.indexOf(b.node.state) || a.index - b.index)
    .map(({ node, index }) => nodeRow(node, { index, link, neededBy: neededBy.get(node.name) ?? [] }));
  return `<section aria-labelledby="apps-title"><h2 id="apps-title">Apps <small>${report.nodes.length}</small></h2>
<p class="note" id="filter-line" hidden><label>Show only <input id="filter" type="search" placeholder="name, stack or state" autocomplete="off"></label></p>
<div class="scroll" tabindex="0" role="group" aria-label="Table of apps"><table>
<thead><tr><th scope="col">App</th><th scope="col">Stack</th><th scope="col">State</th><th scope="col" class="num">Took</th><th scope="col" class="num">Waited</th><th scope="col">Evidence</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div></section>`;
}

const urgency: readonly ReportNode['state'][] = [
  'failed',
  'orphaned',
  'blocked',
  'pending',
  'retained',
  'healthy',
  'removed',
  'skipped',
];

interface RowOptions {
  readonly index: number;
  readonly link: (name: string) => string;
  readonly neededBy: readonly string[];
}

function nodeRow(node: ReportNode, { index, link, neededBy }: RowOptions): string {
  const { name, stack, state, because, hint, durationSeconds, waitedSeconds, attempts } = node;
  const seconds = (value: number | undefined): string => (value === undefined ? '' : escapeHtml(durationText(value)));
  const tries = attempts > 1 ? `<br><small>${attempts} attempts</small>` : '';
  const said = because === undefined ? '' : `<p>${escapeHtml(because)}</p>`;
  const advice = hint === undefined ? '' : `<p class="hint">${hintHtml(hint)}</p>`;
  return `<tr id="node-${index}" data-n="${index}" data-find="${escapeHtml(`${name} ${stack} ${state}`)}"><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(stack)}</td><td class="state"><span class="dot state-${state}"></span>${stateMarks[state]} ${state}${tries}</td><td class="num">${seconds(durationSeconds)}</td><td class="num">${seconds(waitedSeconds)}</td><td class="more">${said}${advice}<details><summary>evidence</summary>${evidence(node, link, neededBy)}</details></td></tr>`;
}

function evidence(node: ReportNode, link: (name: string) => string, neededBy: readonly string[]): string {
  const { operationId, revision, operationPhase, refreshedAt, sync, health, resources, stableSeconds, checks, notes } =
    node.evidence ?? {};
  const needs = node.after.map((name) => `${link(name)}${name in node.edges ? ` (${node.edges[name]})` : ''}`);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Health', plain(health)],
    ['Sync', plain(sync)],
    ['Revision', plain(revision)],
    ['Operation', plain([operationPhase, operationId].filter((part) => part !== undefined).join(' · ') || undefined)],
    ['Compared at', plain(refreshedAt)],
    ['Objects', plain(resources ?? node.objects)],
    ['Stable for', stableSeconds === undefined ? undefined : escapeHtml(durationText(stableSeconds))],
    ['Own checks', checks?.map(escapeHtml).join('<br>')],
    ['Rules relaxed', notes?.map(escapeHtml).join('<br>')],
    ['Started', plain(node.startedAt)],
    ['Finished', plain(node.finishedAt)],
    ['After', needs.length === 0 ? 'nothing' : needs.join(', ')],
    ['Before', neededBy.length === 0 ? 'nothing' : neededBy.map(link).join(', ')],
    ['Blocked by', node.blockedBy?.map(link).join(', ')],
  ];
  return `<dl class="facts">${facts.map(([name, value]) => (value === undefined ? '' : `<dt>${name}</dt><dd>${value}</dd>`)).join('')}</dl>`;
}

function plain(value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : escapeHtml(String(value));
}

function dependents(nodes: readonly ReportNode[]): ReadonlyMap<string, readonly string[]> {
  const result = new Map<string, string[]>();
  for (const { name, after } of nodes) {
    for (const need of after) {
      const known = result.get(need);
      if (known === undefined) result.set(need, [name]);
      else known.push(name);
    }
  }
  return result;
}
