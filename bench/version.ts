import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { type Benchmark, judged, median, milliseconds } from './figure.ts';

/** How long a person waits for the smallest answer, Node's own start included. */
export const version: Benchmark = async ({ root }) => {
  const time = (args: readonly string[]): number =>
    median(
      Array.from({ length: 10 }, () => {
        const startedAt = performance.now();
        const { status } = spawnSync(process.execPath, args, { cwd: root });
        if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`);
        return performance.now() - startedAt;
      }),
    );
  const bare = time(['-e', '0']);
  const whole = time(['bin/tiphys', '--version']);
  return [judged(`tiphys --version (of which Node itself ${milliseconds(bare)})`, whole, ['<', 150], milliseconds)];
};
