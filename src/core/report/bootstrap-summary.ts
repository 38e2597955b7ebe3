import { durationText } from './duration-text.ts';
import { outcomeText } from './outcome-text.ts';
import type { Report, ReportNode } from './report.ts';

/** The bootstrap before a deploy: one line about all of it, and one a role. */
export interface BootstrapSummary {
  readonly line: string;
  readonly roles: readonly string[];
}

/** What a deploy that found an empty cluster did first; undefined when there was nothing to do. */
export function bootstrapSummary({ bootstrap }: Report): BootstrapSummary | undefined {
  if (bootstrap === undefined) return undefined;
  const { verdict, detail } = outcomeText(bootstrap);
  return { line: `${verdict} · ${detail}`, roles: [...bootstrap.nodes].sort(byStart).map(roleText) };
}

function roleText({ name, state, durationSeconds, evidence, because }: ReportNode): string {
  const what = because ?? evidence?.revision;
  const took = durationSeconds === undefined ? '' : ` in ${durationText(durationSeconds)}`;
  return `${name}: ${state}${took}${what === undefined ? '' : ` (${what})`}`;
}

function byStart(a: ReportNode, b: ReportNode): number {
  return (a.waitedSeconds ?? Number.MAX_VALUE) - (b.waitedSeconds ?? Number.MAX_VALUE);
}
