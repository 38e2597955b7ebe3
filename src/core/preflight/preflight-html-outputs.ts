import { escapeHtml, hintHtml } from '../report/escape-html.ts';
import type { PreflightReport } from './preflight-report.ts';
import { inventoryLines, snapshotLine, verdictMarks } from './preflight-words.ts';
import { bytesText, round } from './quantity.ts';

/** R3.5: nodes, versions, capacity. */
export function htmlInventory(report: PreflightReport): string {
  const { nodes, definitions } = report.inventory;
  const lines = inventoryLines(report).map((line) => `<li>${escapeHtml(line)}</li>`);
  if (lines.length === 0) return '';
  const rows = nodes.map(({ name, roles, isReady, takesPods, version, system, cpu, memoryBytes, pods }) => [
    name,
    roles.length === 0 ? 'worker' : roles.join(', '),
    takesPods ? 'Ready' : isReady ? 'Ready, takes no pods' : 'not Ready',
    version,
    system,
    String(round(cpu)),
    bytesText(memoryBytes),
    String(pods),
  ]);
  const listed = `<details><summary>${definitions.length} definitions</summary><p>${definitions.map(escapeHtml).join(', ')}</p></details>`;
  return `<section><h2>Cluster</h2><ul class="plain">${lines.join('')}</ul>
${nodes.length === 0 ? '' : table(['Node', 'Role', 'State', 'Version', 'System', 'Cores', 'Memory', 'Pods'], rows)}
${definitions.length === 0 ? '' : listed}</section>`;
}

/** R3.5: each address that was tried. */
export function htmlConnectivity({ connectivity }: PreflightReport): string {
  if (connectivity.length === 0) return '';
  const rows = connectivity.map(({ verdict, about, address, from, via, saw }) => [
    `${verdictMarks[verdict]} ${about}`,
    address,
    from === 'here' ? 'here' : 'the cluster',
    via ?? 'no proxy',
    saw,
  ]);
  return `<section><h2>Connectivity</h2>${table(['What', 'Address', 'From', 'Through', 'Saw'], rows)}</section>`;
}

/** R3.5: which credentials are there and were accepted. */
export function htmlCredentials({ credentials }: PreflightReport): string {
  if (credentials.length === 0) return '';
  const rows = credentials.map(({ verdict, about, saw }) => [`${verdictMarks[verdict]} ${about}`, saw]);
  return `<section><h2>Credentials</h2>${table(['Of', 'Saw'], rows)}</section>`;
}

/** R3.5: for the comparison after a teardown. */
export function htmlSnapshot(report: PreflightReport): string {
  const line = snapshotLine(report);
  if (line === undefined) return '';
  const objects = (report.snapshot?.objects ?? []).map((object) => `<li>${escapeHtml(object)}</li>`);
  return `<section><h2>Snapshot</h2><p>${escapeHtml(line)}</p><details><summary>every object</summary><ul class="plain">${objects.join('')}</ul></details></section>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const heads = head.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join('');
  const line = ([first = '', ...rest]: readonly string[]): string =>
    `<tr><th scope="row">${escapeHtml(first)}</th>${rest.map((cell) => `<td class="more">${hintHtml(cell)}</td>`).join('')}</tr>`;
  return `<div class="scroll" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>${rows.map(line).join('\n')}</tbody></table></div>`;
}
