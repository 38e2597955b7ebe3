import type { Report } from '../../src/core/report/report.ts';
import type { Command } from '../real/testbed.ts';
import { eventually } from '../real/waiting.ts';
import { type ChaosBed, folder } from './chaos-bed.ts';
import { leaseHolder } from './judge.ts';
import type { Ending } from './run-and-kill.ts';

const everything = ['--confirm', 'chaos', '--include-stateful', '--include-crds', '--pv-policy', 'delete'];

/** The program's two commands that change a cluster. A teardown takes everything, so that what is left over is a mistake. */
export const wordsOf: Record<'deploy' | 'teardown', readonly [Command, ...string[]]> = {
  deploy: ['deploy', folder, '-o', 'json'],
  teardown: ['teardown', folder, '-o', 'json', ...everything],
};

/** A killed run cannot give its lease back: it is in the way until it has run out. */
export async function leaseFree({ client, platform }: ChaosBed): Promise<void> {
  await eventually(
    'the lease of the killed run has run out',
    async () => (await leaseHolder(client, platform.name)) === undefined,
    40_000,
  );
}

/** Undefined for a run that ended right or failed in good order; otherwise a sentence. */
export function uncleanEnd({ exitCode, out, err }: Ending): string | undefined {
  const lastWords = err.slice(-1500);
  if (exitCode === null || ![0, 1, 2].includes(exitCode)) return `it ended with ${exitCode}:\n${lastWords}`;
  if (out === '') {
    const isExplained = exitCode === 1 && /^error: /m.test(err) && !/^\s+at .*:\d+:\d+\)?$/m.test(err);
    return isExplained ? undefined : `it ended with ${exitCode}, without a report or an explanation:\n${lastWords}`;
  }
  const { exitCode: told, failures, outcome } = JSON.parse(out) as Report;
  if (told !== exitCode) return `it ended with ${exitCode}, and its report says ${told}`;
  const isGood = outcome === 'success' || outcome === 'clean';
  return isGood === (exitCode === 0 && failures.length === 0) ? undefined : `${outcome} with exit ${exitCode}`;
}
