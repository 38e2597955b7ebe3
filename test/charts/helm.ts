import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** An object as the chart renders it. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** Where helm is: with the testbed's programs, or on the PATH. */
export function findHelm(): string | undefined {
  const folders = [process.env['TIPHYS_TESTBED_BIN'] ?? '', ...(process.env['PATH'] ?? '').split(':')];
  return folders.filter((folder) => folder !== '').find((folder) => existsSync(join(folder, 'helm')));
}

/** Runs helm, away from everybody's own settings. */
export function helm(folder: string, ...words: readonly string[]): string {
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', HELM_NO_PLUGINS: '1' };
  return execFileSync(join(folder, 'helm'), words, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The objects of a YAML text with several documents. */
export function objectsOf(text: string): readonly Rendered[] {
  return parseAllDocuments(text)
    .map((one) => one.toJS() as Rendered | null)
    .filter((one) => one !== null);
}
