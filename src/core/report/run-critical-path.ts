import type { NodeRun, Run } from '../run/run.ts';

/** The chain that made the run as long as it was: from the node that finished last, back through the need that finished last. */
export function runCriticalPath(run: Run): readonly { readonly node: string; readonly seconds: number }[] {
  const before = predecessors(run);
  const path: { node: string; seconds: number }[] = [];
  const walked = new Set<string>();
  let node = latest([...run.nodes.values()]);
  while (node !== undefined && !walked.has(node.name)) {
    walked.add(node.name);
    path.unshift({ node: node.name, seconds: secondsOfWork(node) });
    node = latest(before(node.name).flatMap((name) => run.nodes.get(name) ?? []));
  }
  return path;
}

/** What a node had to wait for: its needs, or with wave barriers everything in the wave before it. */
function predecessors(run: Run): (name: string) => readonly string[] {
  const steps = new Map(run.plan?.steps.map((step) => [step.node, step]));
  if (run.order !== 'waves') return (name) => steps.get(name)?.after ?? [];
  const waves = run.plan?.waves ?? [];
  const waveOf = new Map(waves.flatMap((names, wave) => names.map((name) => [name, wave] as const)));
  return (name) => waves[(waveOf.get(name) ?? 0) - 1] ?? [];
}

function latest(nodes: readonly NodeRun[]): NodeRun | undefined {
  let last: NodeRun | undefined;
  for (const node of nodes) {
    // Skipped and blocked nodes took no time: they never made anybody wait.
    if (node.startedAt === undefined || node.finishedAt === undefined) continue;
    if (last === undefined || isLater(node, last)) last = node;
  }
  return last;
}

function isLater(a: NodeRun, b: NodeRun): boolean {
  const [aEnd, bEnd] = [Date.parse(a.finishedAt ?? ''), Date.parse(b.finishedAt ?? '')];
  return aEnd > bEnd || (aEnd === bEnd && a.name < b.name);
}

function secondsOfWork(node: NodeRun): number {
  return (Date.parse(node.finishedAt ?? '') - Date.parse(node.startedAt ?? '')) / 1000;
}
