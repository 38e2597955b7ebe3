import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Benchmark, judged, seconds } from './figure.ts';
import { environmentText, syntheticDag } from './synthetic-platform.ts';

/** The command a person would type, on a platform of a thousand apps: engine, adapters and embedded cluster in one process. */
export const thousand: Benchmark = async ({ root }) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bench-'));
  try {
    writeFileSync(join(folder, 'dag.yaml'), syntheticDag(1_000, 3_000));
    writeFileSync(join(folder, 'environment.yaml'), environmentText);
    const report = join(folder, 'report.json');
    const startedAt = performance.now();
    const args = ['bin/tiphys', 'deploy', folder, '--sandbox', '-o', 'json', '--out', report];
    const { status, stderr, output } = spawnSync(process.execPath, ['--import', './bench/peak-memory.mjs', ...args], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 28,
      encoding: 'utf8',
    });
    const wall = (performance.now() - startedAt) / 1000;
    if (status !== 0) throw new Error(`the deployment ended with ${status}: ${stderr.slice(-2000)}`);
    // libuv tells kibibytes on every system.
    const megabytes = (Number(output[3]) * 1024) / 1e6;
    return [
      judged('1,000 apps, 3,000 edges deployed in the sandbox, wall time', wall, ['<', 60], seconds),
      judged('… peak memory (RSS) of that process', megabytes, ['<', 300], (value) => `${Math.round(value)} MB`),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
