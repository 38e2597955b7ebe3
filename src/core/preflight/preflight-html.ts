import { durationText } from '../report/duration-text.ts';
import { escapeHtml, hintHtml } from '../report/escape-html.ts';
import { htmlPage } from '../report/html-page.ts';
import type { CheckResult } from './finding.ts';
import { htmlConnectivity, htmlCredentials, htmlInventory, htmlSnapshot } from './preflight-html-outputs.ts';
import type { PreflightReport } from './preflight-report.ts';
import {
  type FindingGroup,
  findingGroups,
  nextSteps,
  notLookedAt,
  preflightVerdict,
  verdictMarks,
} from './preflight-words.ts';

/** The report as one HTML file that needs nothing else, in the dress of the other reports. */
export function preflightHtml(report: PreflightReport): string {
  const title = `preflight ${report.platform}: ${preflightVerdict(report).verdict}`;
  const body = `${header(report)}
<main>
${[
  findings('Failures', findingGroups(report, 'fail'), 'failure'),
  findings('Warnings', findingGroups(report, 'warn'), 'finding warning'),
  unlooked(report),
  next(report),
  checks(report),
  htmlInventory(report),
  htmlConnectivity(report),
  htmlCredentials(report),
  htmlSnapshot(report),
]
  .filter((section) => section !== '')
  .join('\n')}
</main>
<footer>Written by Tiphys · ${escapeHtml(report.startedAt)} · nothing was changed</footer>`;
  return htmlPage({ title, body });
}

function header(report: PreflightReport): string {
  const { verdict } = preflightVerdict(report);
  const tone = report.outcome === 'ready' ? 'good' : report.outcome === 'warnings' ? 'calm' : 'bad';
  const sign = tone === 'good' ? '✓' : tone === 'calm' ? '!' : '✗';
  const tile = (name: string, value: string): string => `<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const { counts } = report;
  return `<header class="${tone}">
<h1>${escapeHtml(report.platform)} <small>${escapeHtml(report.environment)}</small></h1>
<p class="verdict"><span class="badge">${sign} ${escapeHtml(`preflight: ${verdict}`)}</span></p>
<dl class="tiles">${[
    tile('passed', String(counts.pass)),
    tile('warnings', String(counts.warn)),
    tile('failed', String(counts.fail)),
    tile('took', escapeHtml(durationText(report.durationSeconds))),
    tile('cluster', escapeHtml(report.cluster)),
  ].join('')}</dl>
</header>`;
}

function findings(title: string, groups: readonly FindingGroup[], className: string): string {
  if (groups.length === 0) return '';
  const items = groups.map(({ check, findings: all, fix }) => {
    const remedy = fix === '' ? '' : `<p class="hint">${hintHtml(fix)}</p>`;
    const said = all.map(
      ({ verdict, about, saw }) =>
        `<h3>${verdictMarks[verdict]} ${escapeHtml(about)} <small>${escapeHtml(check)}</small></h3><p>${hintHtml(saw)}</p>`,
    );
    return `<li class="${className}">${said.join('')}${remedy}</li>`;
  });
  return `<section><h2>${title} <small>${items.length}</small></h2><ul class="failures">${items.join('\n')}</ul></section>`;
}

function unlooked(report: PreflightReport): string {
  const items = notLookedAt(report).map(
    ({ abouts, saw, fix }) =>
      `<li class="finding info"><h3>${abouts.map(escapeHtml).join(', ')}</h3><p>${escapeHtml(saw)}</p><p class="hint">${hintHtml(fix)}</p></li>`,
  );
  return items.length === 0
    ? ''
    : `<section><h2>Not looked at</h2><ul class="failures">${items.join('\n')}</ul></section>`;
}

function next(report: PreflightReport): string {
  const items = nextSteps(report).map((text) => `<li>${hintHtml(text)}</li>`);
  return `<section><h2>What next</h2><ul class="plain">${items.join('')}</ul></section>`;
}

function checks({ checks: all }: PreflightReport): string {
  return `<section><h2>Checks <small>${all.length}</small></h2>
<div class="scroll" tabindex="0" role="group" aria-label="Table of checks"><table>
<thead><tr><th scope="col">Check</th><th scope="col">Verdict</th><th scope="col" class="num">Took</th><th scope="col">What it saw</th></tr></thead>
<tbody>
${all.map(checkRow).join('\n')}
</tbody></table></div></section>`;
}

const states = { pass: 'healthy', warn: 'retained', fail: 'failed' } as const;

function checkRow({ title, verdict, seconds, findings: found }: CheckResult): string {
  const said = found.map(
    ({ about, saw, verdict: one }) => `<li>${verdictMarks[one]} <b>${escapeHtml(about)}</b>: ${hintHtml(saw)}</li>`,
  );
  const list = `<ul class="plain">${said.join('')}</ul>`;
  const more = found.length > 3 ? `<details><summary>${found.length} findings</summary>${list}</details>` : list;
  return `<tr><th scope="row">${escapeHtml(title)}</th><td class="state"><span class="dot state-${states[verdict]}"></span>${verdictMarks[verdict]} ${verdict}</td><td class="num">${escapeHtml(durationText(seconds))}</td><td class="more">${more}</td></tr>`;
}
