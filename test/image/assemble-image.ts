import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Architecture } from '../../images/executor/assembly/contents.ts';

export interface AssemblyOrder {
  readonly repository: string;
  readonly architecture: Architecture;
  /** The charts of bootstrap/charts.lock. */
  readonly charts: string;
  /** What is there already of the Go programs, for that architecture. */
  readonly programs?: string | undefined;
  readonly revision?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly folder: string;
}

/** Makes the executor image as its README says; gives the OCI layout. A test's runner wants to hear from it meanwhile, so it is waited for. */
export async function assembleImage(order: AssemblyOrder): Promise<string> {
  const { repository, architecture, charts, programs, revision, env = process.env, folder } = order;
  const words = ['--out', folder, '--arch', architecture, '--charts', charts];
  if (programs) words.push('--programs', programs);
  if (revision) words.push('--revision', revision);
  const child = spawn(process.execPath, ['images/executor/assemble.mjs', ...words], {
    cwd: repository,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: 3_600_000,
  });
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`the assembly ended with ${code ?? signal}`);
  return join(folder, 'image');
}
