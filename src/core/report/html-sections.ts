import { bootstrapSummary } from './bootstrap-summary.ts';
import { comparisonSummary } from './comparison-summary.ts';
import { escapeHtml, hintHtml } from './escape-html.ts';
import { findingPlace, groupFindings } from './group-findings.ts';
import type { Report } from './report.ts';

/** What failed, why, what to do, and what waits for it: the first thing on the page. */
export function htmlFailures({ failures, nodes }: Report): string {
  const link = nodeLinks(nodes);
  const items = failures.map(({ node, name, because, hint, blocks }) => {
    const blocked = `<details><summary>blocks ${blocks.length}</summary><p>${blocks.map(link).join(', ')}</p></details>`;
    return `<li class="failure"><h3>✗ ${link(node)} <small>${escapeHtml(name)}</small></h3><p>${escapeHtml(because)}</p><p class="hint">${hintHtml(hint)}</p>${blocks.length === 0 ? '' : blocked}</li>`;
  });
  return section('Failures', items, 'failures');
}

/** What a deploy did before its own plan. */
export function htmlBootstrap(report: Report): string {
  const summary = bootstrapSummary(report);
  if (summary === undefined) return '';
  const items = [summary.line, ...summary.roles].map((text) => `<li>${escapeHtml(text)}</li>`);
  return section('Bootstrap', items, 'plain');
}

/** What `validate` found against the rules. */
export function htmlFindings({ compliance }: Report): string {
  const items = groupFindings(compliance).map(({ severity, rule, remedy, findings }) => {
    const said = findings.map(
      (finding) => `<li><b>${escapeHtml(findingPlace(finding))}</b>: ${escapeHtml(finding.what)}</li>`,
    );
    const list = `<ul class="plain">${said.join('')}</ul>`;
    const folded = `<details><summary>${findings.length} times</summary>${list}</details>`;
    return `<li class="finding ${severity}"><h3>${escapeHtml(rule)} <small>${severity}</small></h3>${findings.length > 3 ? folded : list}<p class="hint">${hintHtml(remedy)}</p></li>`;
  });
  return section('Compliance', items, 'failures');
}

/** Objects that are still there after a teardown. */
export function htmlLeftovers(title: string, objects: Report['orphans']): string {
  const items = objects.map(({ object, because, hint }) => {
    return `<li><b>${escapeHtml(object)}</b>: ${escapeHtml(because)}${hintPart(hint)}</li>`;
  });
  return section(title, items, 'plain');
}

/** What else is there that was not there before. */
export function htmlComparison(report: Report): string {
  const summary = comparisonSummary(report);
  if (summary === undefined) return '';
  const lists = summary.lists.map(({ title, objects }) => {
    const names = objects.map((object) => `<li>${escapeHtml(object)}</li>`).join('');
    return `<li><details><summary>${escapeHtml(title)} (${objects.length})</summary><ul class="plain">${names}</ul></details></li>`;
  });
  return section('Compared with before', [`<li>${escapeHtml(summary.line)}</li>`, ...lists], 'plain');
}

/** Warnings of the run. */
export function htmlWarnings({ warnings }: Report): string {
  const items = warnings.map(({ message, hint, node }) => {
    return `<li>${node === undefined ? '' : `<b>${escapeHtml(node)}</b>: `}${escapeHtml(message)}${hintPart(hint)}</li>`;
  });
  return section('Warnings', items, 'plain');
}

/** What to do next. */
export function htmlNext({ recommendations }: Report): string {
  return section(
    'What next',
    recommendations.map((text) => `<li>${hintHtml(text)}</li>`),
    'plain',
  );
}

/** Names as links to their rows; a name that has no row stays text. */
export function nodeLinks(nodes: Report['nodes']): (name: string) => string {
  const places = new Map(nodes.map(({ name }, index) => [name, index]));
  return (name) => {
    const place = places.get(name);
    return place === undefined ? escapeHtml(name) : `<a href="#node-${place}">${escapeHtml(name)}</a>`;
  };
}

function hintPart(hint: string | undefined): string {
  return hint === undefined ? '' : ` <span class="hint">${hintHtml(hint)}</span>`;
}

function section(title: string, items: readonly string[], className: string): string {
  if (items.length === 0) return '';
  const count = className === 'failures' ? ` <small>${items.length}</small>` : '';
  return `<section><h2>${title}${count}</h2><ul class="${className}">${items.join('\n')}</ul></section>`;
}
