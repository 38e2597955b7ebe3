import { existsSync, readFileSync } from 'node:fs';

/** The last line of a log, for a status that people read. */
export function lastWords(log: string): string {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
  return (lines.at(-1) ?? '').slice(0, 500) || 'it ended without a word';
}
