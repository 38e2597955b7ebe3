import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { jsonReport } from '../core/report/json-report.ts';
import { markdownReport } from '../core/report/markdown-report.ts';
import type { Report } from '../core/report/report.ts';
import { terminalReport } from '../core/report/terminal-report.ts';
import { useColor } from './follow-run.ts';
import { ExitError, type Io } from './io.ts';
import type { Output, Settings } from './settings.ts';

/** Renders a report as asked: to stdout, or into `--out` with a line on stderr saying so. */
export async function printReport(io: Io, settings: Settings, report: Report): Promise<void> {
  await printResult(io, settings, await renderReport(io, settings, report, settings.output));
}

async function renderReport(io: Io, settings: Settings, report: Report, output: Output): Promise<string> {
  switch (output) {
    case 'text':
      return terminalReport(report, {
        width: io.columns,
        color: settings.raw.out === undefined && useColor(io, settings, io.outIsTerminal),
      });
    case 'json':
      return jsonReport(report);
    case 'markdown':
      return markdownReport(report);
    case 'html': {
      const [{ htmlReport }, { reportLayout }] = await Promise.all([
        import('../core/report/html-report.ts'),
        import('./graph-layout.ts'),
      ]);
      return htmlReport(report, await reportLayout(report));
    }
  }
}

/** The asked-for result: stdout carries it alone, or the file does. */
export async function printResult(io: Io, settings: Settings, text: string): Promise<void> {
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  const file = settings.raw.out;
  if (file === undefined) return io.out(whole);
  try {
    await writeFile(resolve(io.cwd, file), whole, { mode: 0o644 });
  } catch (error) {
    throw new ExitError(
      3,
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
      '--out takes a file in a folder that exists and is writable.',
    );
  }
  io.err(`wrote ${file}\n`);
}
