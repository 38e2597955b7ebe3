import { durationText } from '../../core/report/duration-text.ts';
import type { StyledLine } from '../../core/report/styled-line.ts';
import { pad, textWidth } from '../../core/report/text-width.ts';
import type { NodeRun, Run } from '../../core/run/run.ts';
import type { LiveFrame } from './live-frame.ts';

/** What failed, with the count of what it blocks; never more lines than asked for. */
export function failureLines(nodes: readonly NodeRun[], rows: number): readonly StyledLine[] {
  const failed = nodes.filter(({ state }) => state === 'failed' || state === 'orphaned');
  return shorten(failed, rows, 'failed', (node): StyledLine => {
    const blocks = nodes.filter(({ blockedBy }) => blockedBy?.includes(node.name)).length;
    return [
      { text: `✗ ${node.name}`, style: 'bad' },
      ...(blocks > 0 ? [{ text: ` blocks ${blocks}`, style: 'warn' as const }] : []),
      `  ${node.because ?? ''}`,
    ];
  });
}

/** What is being worked on, the longest first, with what each waits for. */
export function runningLines(nodes: readonly NodeRun[], frame: LiveFrame): readonly StyledLine[] {
  const running = nodes.filter(({ state }) => state === 'running').sort(byStart);
  // As wide as the longest name of all, not of those that run: columns must not jump while people read.
  const widest = nodes.reduce((width, { name }) => Math.max(width, textWidth(name)), 12);
  const nameWidth = Math.min(widest, Math.max(12, Math.floor(frame.width * 0.3)));
  return shorten(running, frame.rows, 'running', (node): StyledLine => {
    const seconds = (Date.parse(frame.now) - Date.parse(node.startedAt ?? frame.now)) / 1000;
    return [
      { text: `${spinner(frame.turn ?? 0)} `, style: 'busy' },
      pad(node.name, nameWidth),
      ` ${durationText(Math.max(0, seconds)).padStart(7)}  `,
      { text: pad(stageWord[node.stage ?? 'starting'], 9), style: node.stage === 'retrying' ? 'warn' : 'busy' },
      { text: node.because ?? '', style: 'dim' },
    ];
  });
}

/** Who comes next: those that wait for the same together, and first those that wait only for what is running. */
export function nextLines(run: Run, nodes: readonly NodeRun[], rows: number): readonly StyledLine[] {
  const groups = waitingGroups(run, nodes);
  return shorten(groups, rows, 'later', ({ needs, names }): StyledLine => {
    const count = names.length > 1 ? ` (${names.length})` : '';
    const lead = needs.length === 0 ? 'next' : `after ${needs.join(', ')}`;
    return [
      { text: `· ${lead}${count}: `, style: 'dim' },
      { text: names.join(', '), style: 'dim' },
    ];
  });
}

interface WaitingGroup {
  readonly needs: readonly string[];
  readonly names: string[];
  /** How many of the needs have not even begun. */
  readonly far: number;
}

function waitingGroups(run: Run, nodes: readonly NodeRun[]): readonly WaitingGroup[] {
  const open = openNeeds(run);
  const groups = new Map<string, WaitingGroup>();
  for (const { name, state, waitedFor } of nodes) {
    if (state !== 'pending') continue;
    const needs = open(name, waitedFor);
    const known = groups.get(needs.join(' '));
    if (known !== undefined) known.names.push(name);
    else
      groups.set(needs.join(' '), {
        needs,
        names: [name],
        far: needs.filter((need) => run.nodes.get(need)?.state === 'pending').length,
      });
  }
  for (const { names } of groups.values()) names.sort();
  const order = [...groups.values()];
  return order.sort((a, b) => a.far - b.far || b.names.length - a.names.length || a.needs.length - b.needs.length);
}

const stageWord: Record<NonNullable<NodeRun['stage']>, string> = {
  starting: 'starting',
  syncing: 'syncing',
  gate: 'health',
  retrying: 'retrying',
  deleting: 'deleting',
};

/** The needs of a node that are still open: as the plan has them, or as the engine told when there is no plan. */
function openNeeds(run: Run): (name: string, waitedFor: readonly string[]) => readonly string[] {
  const after = new Map(run.plan?.steps.map((step) => [step.node, step.after]));
  const isOpen = (name: string): boolean => {
    const state = run.nodes.get(name)?.state;
    return state === 'pending' || state === 'running';
  };
  return (name, waitedFor) => (after.get(name) ?? waitedFor).filter(isOpen);
}

function byStart(a: NodeRun, b: NodeRun): number {
  const [aStart, bStart] = [a.startedAt ?? '', b.startedAt ?? ''];
  return aStart === bStart ? (a.name < b.name ? -1 : 1) : aStart < bStart ? -1 : 1;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

function spinner(turn: number): string {
  return frames[turn % frames.length] ?? frames[0];
}

/** A line for each, or as many as fit and a last one with the count of the rest. */
function shorten<T>(
  items: readonly T[],
  rows: number,
  word: string,
  line: (item: T) => StyledLine,
): readonly StyledLine[] {
  if (rows <= 0) return [];
  if (items.length <= rows) return items.map(line);
  const rest = items.length - (rows - 1);
  return [
    ...items.slice(0, rows - 1).map(line),
    [{ text: `  … ${rest} ${rows > 1 ? 'more ' : ''}${word}`, style: 'dim' }],
  ];
}
