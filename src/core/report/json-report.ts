import type { Report } from './report.ts';

/** The report as one JSON document. */
export function jsonReport(report: Report): string {
  return JSON.stringify(report, undefined, 2);
}
