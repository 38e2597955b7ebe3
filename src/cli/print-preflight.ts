import { preflightHtml } from '../core/preflight/preflight-html.ts';
import { preflightMarkdown } from '../core/preflight/preflight-markdown.ts';
import type { PreflightReport } from '../core/preflight/preflight-report.ts';
import { preflightText } from '../core/preflight/preflight-text.ts';
import { useColor } from './follow-run.ts';
import type { Io } from './io.ts';
import { printResult } from './print-report.ts';
import type { Settings } from './settings.ts';

/** Renders a report of phase 0 as asked: to stdout, or into `--out` with a line on stderr saying so. */
export async function printPreflight(io: Io, settings: Settings, report: PreflightReport): Promise<void> {
  await printResult(io, settings, rendered(io, settings, report));
}

function rendered(io: Io, settings: Settings, report: PreflightReport): string {
  switch (settings.output) {
    case 'text': {
      const color = settings.raw.out === undefined && useColor(io, settings, io.outIsTerminal);
      return preflightText(report, { width: io.columns, color });
    }
    case 'json':
      return JSON.stringify(report, undefined, 2);
    case 'markdown':
      return preflightMarkdown(report);
    case 'html':
      return preflightHtml(report);
  }
}
