import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentText, syntheticDag } from '../synthetic-platform.ts';

/** One Application after the other, all in the cluster from the start. */
export function chain(prefix: string, length: number): string {
  const names = Array.from({ length }, (_, index) => `${prefix}-${String(index).padStart(2, '0')}`);
  return flat(
    prefix,
    names.map((name, index) => [name, index === 0 ? [] : [names[index - 1] as string]]),
  );
}

/** So many Applications that all need one and the same. */
export function fan(prefix: string, width: number): string {
  const leaves = Array.from({ length: width }, (_, index) => `${prefix}-${String(index + 1).padStart(2, '0')}`);
  return flat(prefix, [[`${prefix}-00`, []], ...leaves.map((name) => [name, [`${prefix}-00`]] as const)]);
}

/** A folder with a platform of so many apps in stacks of fifty under one root, three needs each on average. */
export function synthetic(apps: number): string {
  return folderWith({ 'dag.yaml': syntheticDag(apps, 3 * apps), 'environment.yaml': environmentText });
}

/** A folder with a platform that has neither root nor stack Applications; every app is ready after this long. */
export function folderOf(dag: string, readySeconds: number): string {
  const scenario = ['apiVersion: tiphys.dev/v1', 'kind: Scenario', `defaults: { ready: ${readySeconds}s }`];
  const files = { 'dag.yaml': dag, 'environment.yaml': environmentText, 'scenario.yaml': `${scenario.join('\n')}\n` };
  return folderWith(files);
}

function flat(name: string, apps: readonly (readonly [string, readonly string[]])[]): string {
  const lines = ['apiVersion: tiphys.dev/v1', 'kind: Platform', `name: ${name}`, 'stacks:', '  all:', '    apps:'];
  return [...lines, ...apps.map(([app, needs]) => `      ${app}: { needs: [${needs.join(', ')}] }`), ''].join('\n');
}

/** Takes a folder made here away again; the platforms of the project stay. */
export function removeFolder(folder: string): void {
  if (folder.startsWith(join(tmpdir(), temporary))) rmSync(folder, { recursive: true, force: true });
}

const temporary = 'tiphys-bench-';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), temporary));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
