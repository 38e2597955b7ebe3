import type { Plan, Step } from '../plan/plan.ts';
import { drawnNeeds } from './graph-view.ts';
import { printLines, type Style, type StyledLine, type TerminalOptions } from './styled-line.ts';
import { pad, textWidth, wrap } from './text-width.ts';

/** What would be done, wave by wave, and why. */
export function planText(plan: Plan, options: TerminalOptions): string {
  const { width } = options;
  const names = plan.steps.filter(({ action }) => action !== 'skip').map(({ node }) => textWidth(node));
  const nameWidth = Math.min(Math.max(8, ...names), Math.max(16, Math.floor(width * 0.35)));
  const after = planNeeds(plan);
  const waves = plan.waves.flatMap((_, index) => waveLines(plan, index, { width, nameWidth, after }));
  const sections: readonly (readonly StyledLine[])[] = [
    headline(plan),
    waves,
    skipLines(plan, width),
    criticalPathLines(plan, width),
    problemLines(plan, width),
  ];
  const shown = sections.filter((section) => section.length > 0);
  return printLines(
    shown.flatMap((section, index) => (index === 0 ? section : [[], ...section])),
    options,
  );
}

/** How many steps of each kind: `41 to sync, 1 part to sync early, 5 as wanted already`. */
export function planCounts(plan: Plan): string {
  const words = {
    sync: 'to sync',
    part: 'to sync early',
    delete: 'to delete',
    install: 'to install, or to look at and leave',
    skip: 'as wanted already',
  } as const;
  const counts = (Object.keys(words) as readonly Step['action'][]).flatMap((action) => {
    const count = plan.steps.filter((step) => step.action === action).length;
    const noun = action === 'part' ? (count === 1 ? ' part' : ' parts') : '';
    const word = action === 'skip' && plan.action === 'teardown' ? 'to leave' : words[action];
    return count === 0 ? [] : [`${count}${noun} ${word}`];
  });
  return counts.length === 0 ? 'nothing is in scope' : counts.join(', ');
}

/** Skipped steps by their reason, so that forty of them are one line. */
export function skipsByReason(plan: Plan): ReadonlyMap<string, readonly string[]> {
  const byReason = new Map<string, string[]>();
  for (const { action, reason, node } of plan.steps) {
    if (action !== 'skip') continue;
    const known = byReason.get(reason);
    if (known === undefined) byReason.set(reason, [node]);
    else known.push(node);
  }
  return byReason;
}

function headline(plan: Plan): readonly StyledLine[] {
  const scope = plan.scope === 'platform' ? '' : ` (${plan.scope})`;
  const line: StyledLine = [{ text: `${plan.action} ${plan.platform}${scope}: `, style: 'strong' }, planCounts(plan)];
  const idle = plan.steps.every(({ action }) => action === 'skip');
  return idle ? [line, [{ text: 'Nothing to do.', style: 'good' }]] : [line];
}

/** What each step directly comes after: needs that follow from others say nothing new. */
function planNeeds({ steps }: Plan): ReadonlyMap<string, ReadonlySet<string>> {
  const known = new Set(steps.map(({ node }) => node));
  return drawnNeeds({
    graph: new Map(steps.map(({ node, after }) => [node, new Set(after.filter((name) => known.has(name)))])),
    kinds: new Map(steps.map(({ node, edges }) => [node, edges])),
  });
}

interface WaveOptions {
  readonly width: number;
  readonly nameWidth: number;
  readonly after: ReadonlyMap<string, ReadonlySet<string>>;
}

function waveLines(plan: Plan, wave: number, { width, nameWidth, after }: WaveOptions): readonly StyledLine[] {
  const steps = plan.steps.filter((step) => step.wave === wave && step.action !== 'skip');
  if (steps.length === 0) return [];
  const stackWidth = width >= 100 ? 22 : 0;
  const indent = nameWidth + stackWidth + 6;
  return [
    [{ text: `Wave ${wave}`, style: 'strong' }],
    ...steps.flatMap((step): readonly StyledLine[] => {
      const [first = '', ...more] = wrap(`${step.reason}${afterText(step, after.get(step.node))}`, width - indent);
      return [
        [
          marks[step.action],
          pad(step.node, nameWidth),
          { text: `  ${pad(step.stack, stackWidth)}`, style: 'dim' },
          first,
        ],
        ...more.map((line): StyledLine => [' '.repeat(indent), line]),
      ];
    }),
  ];
}

const marks: Record<Step['action'], { readonly text: string; readonly style: Style }> = {
  sync: { text: '  + ', style: 'good' },
  part: { text: '  ◦ ', style: 'busy' },
  delete: { text: '  - ', style: 'bad' },
  install: { text: '  + ', style: 'good' },
  skip: { text: '  = ', style: 'dim' },
};

function afterText({ edges }: Step, after: ReadonlySet<string> | undefined): string {
  const names = [...(after ?? [])].map((name) => (name in edges ? `${name} (${edges[name]})` : name));
  return names.length === 0 ? '' : `, after ${names.join(', ')}`;
}

function skipLines(plan: Plan, width: number): readonly StyledLine[] {
  return [...skipsByReason(plan)].flatMap(([reason, names]): readonly StyledLine[] => {
    const lines = wrap(names.join(', '), width - 4);
    const kept = lines.slice(0, 3);
    return [
      [marks.skip, `${names.length} × ${reason}`],
      ...kept.map((line): StyledLine => [{ text: `    ${line}`, style: 'dim' }]),
      ...(kept.length < lines.length ? [[{ text: '    …', style: 'dim' as const }]] : []),
    ];
  });
}

function criticalPathLines({ criticalPath }: Plan, width: number): readonly StyledLine[] {
  if (criticalPath.length === 0) return [];
  const lines = wrap(criticalPath.join(' → '), width - 2).map((line): StyledLine => [`  ${line}`]);
  return [
    [
      { text: 'Critical path', style: 'strong' },
      { text: `  ${criticalPath.length} steps`, style: 'dim' },
    ],
    ...lines,
  ];
}

function problemLines({ problems }: Plan, width: number): readonly StyledLine[] {
  return problems.flatMap(({ severity, at, what, remedy }): readonly StyledLine[] => [
    [{ text: `${at.file}:${at.line}:${at.column} ${severity}`, style: severity === 'error' ? 'bad' : 'warn' }],
    ...wrap(what, width - 2).map((line): StyledLine => [`  ${line}`]),
    ...wrap(`→ ${remedy}`, width - 2).map((line): StyledLine => [`  ${line}`]),
  ]);
}
