import { durationText } from '../../core/report/duration-text.ts';
import { printLines, type StyledLine } from '../../core/report/styled-line.ts';
import type { NodeRun, Run } from '../../core/run/run.ts';
import type { LiveFrame } from './live-frame.ts';
import { failureLines, nextLines, runningLines } from './live-lines.ts';
import { criticalPathLine, stackLines } from './live-overview.ts';

/** A run as it stands, on at most `rows` lines: failures first, then what runs, then who waits, the rest as counts. */
export function renderLive(run: Run, frame: LiveFrame): string {
  const nodes = [...run.nodes.values()];
  const head = [titleLine(run, frame), progressLine(run, nodes, frame)];
  const roomy = frame.rows >= 18;
  const path = criticalPathLine(run);
  const stacks = frame.rows >= 8 ? stackLines(nodes, frame) : [];
  const foot = [...stacks, ...(path === undefined || frame.rows < 10 ? [] : [path])];
  const body = bodyLines(run, nodes, { ...frame, rows: frame.rows - head.length - foot.length - (roomy ? 2 : 0) });
  const blank: readonly StyledLine[] = roomy ? [[]] : [];
  return printLines([...head, ...blank, ...body, ...blank, ...foot].slice(0, Math.max(1, frame.rows)), frame);
}

/** Failures may take a third of the room; what runs takes what it needs, but leaves some for who comes next. */
function bodyLines(run: Run, nodes: readonly NodeRun[], frame: LiveFrame): readonly StyledLine[] {
  const room = Math.max(0, frame.rows);
  const failed = failureLines(nodes, Math.min(room, Math.max(1, Math.floor(room / 3))));
  const left = room - failed.length;
  const forNext = left >= 6 ? Math.floor(left / 3) : left >= 3 ? 1 : 0;
  const running = runningLines(nodes, { ...frame, rows: left - forNext });
  const next = nextLines(run, nodes, left - running.length);
  return [...failed, ...running, ...next];
}

function titleLine(run: Run, { now, width }: LiveFrame): StyledLine {
  const name = run.plan === undefined ? 'tiphys' : `${run.plan.action} ${run.plan.platform}`;
  const elapsed = durationText(Math.max(0, secondsBetween(run.startedAt ?? now, now)));
  const doing = run.interrupted === undefined ? run.phase : 'stopping';
  const gap = Math.max(1, width - name.length - doing.length - elapsed.length - 2);
  return [
    { text: name, style: 'strong' },
    { text: `  ${doing}`, style: run.interrupted === undefined ? 'dim' : 'warn' },
    ' '.repeat(gap),
    { text: elapsed, style: 'strong' },
  ];
}

function progressLine(run: Run, nodes: readonly NodeRun[], { width }: LiveFrame): StyledLine {
  const count = (state: NodeRun['state']): number => nodes.filter((node) => node.state === state).length;
  const done = nodes.filter(({ state }) => isDone(state)).length;
  const failed = count('failed') + count('orphaned');
  const blocked = count('blocked');
  const counts = [
    { text: `${done}/${nodes.length}`, style: 'good' as const },
    ...(failed > 0 ? [{ text: ` · ${failed} failed`, style: 'bad' as const }] : []),
    ...(blocked > 0 ? [{ text: ` · ${blocked} blocked`, style: 'warn' as const }] : []),
    { text: ` · ${count('running')} running · ${count('pending')} waiting`, style: 'dim' as const },
    ...(run.held.size > 0 ? [{ text: ` · ${run.held.size} held`, style: 'dim' as const }] : []),
  ];
  const countsWidth = counts.reduce((sum, { text }) => sum + text.length, 0);
  const bar = Math.min(60, width - countsWidth - 3);
  if (bar < 8 || nodes.length === 0) return counts;
  return [...progressBar(bar, { done, bad: failed + blocked, all: nodes.length }), '  ', ...counts];
}

function progressBar(width: number, { done, bad, all }: { done: number; bad: number; all: number }): StyledLine {
  const full = Math.floor((done / all) * width);
  const lost = Math.min(width - full, bad === 0 ? 0 : Math.max(1, Math.round((bad / all) * width)));
  return [
    { text: '━'.repeat(full), style: 'good' },
    { text: '━'.repeat(lost), style: 'bad' },
    { text: '─'.repeat(width - full - lost), style: 'dim' },
  ];
}

function isDone(state: NodeRun['state']): boolean {
  return state === 'healthy' || state === 'skipped' || state === 'removed' || state === 'retained';
}

function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1000;
}
