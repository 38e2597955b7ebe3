import { escapeHtml } from './escape-html.ts';
import type { Report, ReportNode, ReportStack } from './report.ts';

/** A chip for each stack: how many of its apps are where the run wanted them. */
export function htmlStacks(report: Report): string {
  const chips = report.stacks.map((stack) => {
    const { className, words } = report.action === 'teardown' ? takenDown(report, stack) : broughtUp(stack);
    return `<li class="health-${className}"><b>${escapeHtml(stack.name)}</b> ${words}</li>`;
  });
  return chips.length === 0 ? '' : `<ul class="chips" aria-label="Stacks">${chips.join('')}</ul>`;
}

interface Chip {
  readonly className: string;
  readonly words: string;
}

function broughtUp({ health, done, nodes }: ReportStack): Chip {
  return { className: health, words: `${done}/${nodes} <span>${health}</span>` };
}

/** Healthy would be said of what was kept, and read as if it were said of all. */
function takenDown(report: Report, { name, health, nodes }: ReportStack): Chip {
  const members = report.nodes.filter(({ stack }) => stack === name);
  const count = (...states: readonly ReportNode['state'][]): number =>
    members.filter(({ state }) => states.includes(state)).length;
  const others = (['retained', 'failed', 'orphaned', 'blocked', 'pending'] as const)
    .map((state) => ({ state, many: count(state) }))
    .filter(({ many }) => many > 0)
    .map(({ state, many }) => `, ${many} ${state}`);
  return {
    className: health === 'Healthy' ? 'Retained' : health,
    words: `${count('removed', 'skipped')}/${nodes} removed${others.join('')}`,
  };
}
