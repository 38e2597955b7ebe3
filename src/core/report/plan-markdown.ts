import type { Plan, Step } from '../plan/plan.ts';
import { markdownHint, markdownTable, markdownText } from './markdown-text.ts';
import { planCounts, skipsByReason } from './plan-text.ts';

/** The plan as Markdown: for a merge request or a ticket. */
export function planMarkdown(plan: Plan): string {
  const scope = plan.scope === 'platform' ? '' : ` (${markdownText(plan.scope)})`;
  return [
    `# Plan: ${plan.action} ${markdownText(plan.platform)}${scope}`,
    `${planCounts(plan)}.`,
    ...plan.problems.map(
      ({ severity, at, what, remedy }) =>
        `- **${severity}** ${markdownText(`${at.file}:${at.line}:${at.column}`)}: ${markdownText(what)} ${markdownHint(remedy)}`,
    ),
    ...plan.waves.flatMap((_, index) => wave(plan, index)),
    ...skips(plan),
    ...(plan.criticalPath.length === 0 ? [] : ['## Critical path', plan.criticalPath.map(markdownText).join(' → ')]),
  ].join('\n\n');
}

function wave(plan: Plan, number: number): readonly string[] {
  const steps = plan.steps.filter((step) => step.wave === number && step.action !== 'skip');
  if (steps.length === 0) return [];
  const rows = steps.map((step) => [
    markdownText(step.node),
    markdownText(step.stack),
    step.action,
    markdownText(step.reason),
    afterCell(step),
  ]);
  return [`## Wave ${number}`, markdownTable(['node', 'stack', 'action', 'why', 'after'], rows)];
}

function afterCell({ after, edges }: Step): string {
  return after.map((name) => markdownText(name) + (name in edges ? ` (${edges[name]})` : '')).join(', ');
}

function skips(plan: Plan): readonly string[] {
  const reasons = [...skipsByReason(plan)];
  if (reasons.length === 0) return [];
  return [
    '## Skipped',
    ...reasons.map(([reason, names]) => `- ${markdownText(reason)}: ${names.map(markdownText).join(', ')}`),
  ];
}
