import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { listenTo } from '../running.ts';

/** Our program, built from these sources for one suite alone: others may build theirs at the same time. */
export async function buildProgram(name: string): Promise<string> {
  // Below node_modules, so that packages left out of the bundle are found.
  const folder = `node_modules/.cache/tiphys/${name}`;
  await build({
    entryPoints: { tiphys: 'src/cli/main.ts' },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    loader: { '.lua': 'text', '.css': 'text' },
    logLevel: 'warning',
  });
  writeFileSync(executorBeside(`${folder}/tiphys.js`), "import './tiphys.js';\n");
  return `${folder}/tiphys.js`;
}

/** The same program under its other name, which has the commands of a cluster's own processes. */
export function executorBeside(program: string): string {
  return program.replace(/tiphys\.js$/, 'executor');
}

/** A run of the program, and what it has said so far. */
export interface Running {
  readonly child: ChildProcess;
  readonly said: { out: string; err: string };
  readonly ended: Promise<number | null>;
}

/** Starts it with nothing of the test's own environment. */
export function startProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = { PATH: process.env['PATH'] ?? '' },
): Running {
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const { said, ended } = listenTo(child);
  return { child, said, ended: ended.then(({ exitCode }) => exitCode) };
}
