import { resolve } from 'node:path';
import { readText } from '../../adapters/files/platform-folder.ts';
import { type Report, reportSchema } from '../../core/report/report.ts';
import { toReport } from '../../core/report/to-report.ts';
import type { RunEvent } from '../../core/run/events.ts';
import { foldEvents } from '../../core/run/fold-run.ts';
import type { CommandRun } from '../invocation.ts';
import { ExitError } from '../io.ts';
import { printReport } from '../print-report.ts';
import { readSettings } from '../settings.ts';

export const reportCommand: CommandRun = async ({ io, args, options }) => {
  const file = args[0] ?? '';
  const text = await readText(resolve(io.cwd, file));
  if (typeof text !== 'string')
    throw new ExitError(
      3,
      `${file} ${text.because}`,
      'Save one with `tiphys deploy … -o json --out run.json`, or `--events run.jsonl`.',
    );
  await printReport(io, readSettings(options, io.env), savedReport(file, text));
  return 0;
};

/** A saved report is one JSON document; saved events are one a line, and tell even of a run that never finished. */
function savedReport(file: string, text: string): Report {
  const first = text.trimStart().split('\n', 1)[0] ?? '';
  if (first.startsWith('{"at":')) return reportOfEvents(file, text);
  const parsed = reportSchema.safeParse(json(file, text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ExitError(
    3,
    `${file} is not a report of ours: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
    'Give a file written with `-o json` or `--events`.',
  );
}

/** A file that looks like events but tells no run is the user's mistake, not our bug. */
function reportOfEvents(file: string, text: string): Report {
  const told = events(file, text);
  try {
    const run = foldEvents(told);
    const report = toReport(run);
    if (run.startedAt !== undefined && reportSchema.safeParse(report).success) return report;
  } catch {
    // Events of another program, or written by hand: said below.
  }
  throw new ExitError(3, `${file} holds no events of a run`, 'Give a file written with `-o json` or `--events`.');
}

function events(file: string, text: string): RunEvent[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  // A killed run may have left half a line at the end.
  const whole = text.endsWith('\n') ? lines : lines.slice(0, -1);
  return whole.map((line) => json(file, line) as RunEvent);
}

function json(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ExitError(
      3,
      `${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      'Give a file written with `-o json` or `--events`.',
    );
  }
}
