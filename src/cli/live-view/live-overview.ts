import type { Span, Style, StyledLine } from '../../core/report/styled-line.ts';
import type { NodeRun, Run } from '../../core/run/run.ts';
import type { LiveFrame } from './live-frame.ts';

/** Every stack as a count, as many on a line as fit; on a low terminal only one line of them. */
export function stackLines(nodes: readonly NodeRun[], { width, rows }: LiveFrame): readonly StyledLine[] {
  const lines: Span[][] = [[]];
  let used = 0;
  const low = rows < 18;
  const spans = stackSpans(nodes);
  // Only one line of them fits on a low terminal: let it be those that matter.
  if (low) spans.sort((a, b) => urgency.indexOf(a.style) - urgency.indexOf(b.style));
  for (const span of spans) {
    if (used > 0 && used + span.text.length + 3 > width) {
      lines.push([]);
      used = 0;
    }
    if (used > 0) lines.at(-1)?.push({ text: '   ', style: 'dim' });
    lines.at(-1)?.push(span);
    used += span.text.length + 3;
  }
  return lines.slice(0, low ? 1 : 4).filter((line) => line.length > 0);
}

/** What is left of the plan's critical path: the shortest time the run can still take goes through these. */
export function criticalPathLine(run: Run): StyledLine | undefined {
  const left = (run.plan?.criticalPath ?? []).filter((name) => {
    const state = run.nodes.get(name)?.state;
    return state === 'pending' || state === 'running';
  });
  if (left.length === 0) return undefined;
  return [
    { text: `Critical path, ${left.length} to go: `, style: 'dim' },
    ...left.flatMap((name, index): StyledLine => {
      const busy = run.nodes.get(name)?.state === 'running';
      return [
        ...(index === 0 ? [] : [{ text: ' → ', style: 'dim' as const }]),
        { text: name, style: busy ? 'busy' : 'dim' },
      ];
    }),
  ];
}

const urgency: readonly Style[] = ['bad', 'busy', 'dim', 'good'];

function stackSpans(nodes: readonly NodeRun[]): Span[] {
  const stacks = new Map<string, NodeRun[]>();
  for (const node of nodes) {
    const known = stacks.get(node.stack);
    if (known === undefined) stacks.set(node.stack, [node]);
    else known.push(node);
  }
  return [...stacks]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, members]) => stackSpan(name === '' ? 'other' : name, members));
}

function stackSpan(name: string, members: readonly NodeRun[]): Span {
  const has = (...states: readonly NodeRun['state'][]): number =>
    members.filter(({ state }) => states.includes(state)).length;
  const done = has('healthy', 'skipped', 'removed', 'retained');
  const text = `${name} ${done}/${members.length}`;
  if (has('failed', 'orphaned') > 0) return { text: `✗ ${text}`, style: 'bad' };
  if (done === members.length) return { text: `✓ ${text}`, style: 'good' };
  return { text, style: has('running') > 0 ? 'busy' : 'dim' };
}
