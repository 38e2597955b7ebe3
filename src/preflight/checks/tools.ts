import { findProgram } from '../../adapters/programs/find-program.ts';
import { runProgram } from '../../adapters/programs/run-program.ts';
import type { Finding } from '../../core/preflight/finding.ts';
import { judgeTool, type Tool, tools as wanted } from '../../core/preflight/tool-versions.ts';
import type { Check } from '../check.ts';
import type { Surroundings } from '../surroundings.ts';

/** R3.4: each program is there, and new enough. */
export const tools: Check = {
  id: 'tools',
  title: 'Tools',
  area: 'tools',
  deadlineMs: 45_000,
  run: (surroundings, signal) => Promise.all(wanted.map((tool) => lookAt(tool, surroundings, signal))),
};

/** Ansible takes seconds to start on a busy machine. */
const patienceMs = 30_000;

async function lookAt(tool: Tool, { env, purpose }: Surroundings, signal: AbortSignal): Promise<Finding> {
  const path = await findProgram(tool.name, env['PATH']);
  const order = { command: path ?? tool.name, args: tool.args, env, deadlineMs: patienceMs, signal };
  const { out, err, because } = path === undefined ? missing : await runProgram(order);
  const isOptional = purpose === 'bootstrap' && !tool.bootstrapNeeds;
  return judgeTool(tool, { because, printed: out === '' ? err : out, path }, isOptional);
}

const missing = { out: '', err: '', because: 'not-found' } as const;
