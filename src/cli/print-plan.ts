import type { Plan } from '../core/plan/plan.ts';
import { planMarkdown } from '../core/report/plan-markdown.ts';
import { planText } from '../core/report/plan-text.ts';
import { useColor } from './follow-run.ts';
import { ExitError, type Io } from './io.ts';
import { printResult } from './print-report.ts';
import type { Settings } from './settings.ts';

/** Prints exactly the plan that would be run. */
export async function printPlan(io: Io, settings: Settings, plan: Plan): Promise<void> {
  await printResult(io, settings, render(io, settings, plan));
}

function render(io: Io, settings: Settings, plan: Plan): string {
  switch (settings.output) {
    case 'text':
      return planText(plan, {
        width: io.columns,
        color: settings.raw.out === undefined && useColor(io, settings, io.outIsTerminal),
      });
    case 'json':
      return JSON.stringify(plan, undefined, 2);
    case 'markdown':
      return planMarkdown(plan);
    case 'html':
      throw new ExitError(
        3,
        'a plan has no HTML form',
        'Use -o text, json or markdown; `tiphys graph -o svg` draws the graph.',
      );
  }
}
