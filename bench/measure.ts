import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import type { BenchContext, Benchmark, Figure } from './figure.ts';
import { hops } from './hops.ts';
import { overhead } from './overhead.ts';
import { planning } from './planning.ts';
import { thousand } from './thousand.ts';
import { version } from './version.ts';

const benchmarks: Readonly<Record<string, Benchmark>> = { planning, overhead, hops, thousand, version };

/** Runs the named benchmarks, or all of them and writes the table. The exit code says whether every goal was met. */
export async function measure(options: BenchContext & { readonly names: readonly string[] }): Promise<number> {
  const unknown = options.names.filter((name) => benchmarks[name] === undefined);
  if (unknown.length > 0) {
    console.error(`unknown: ${unknown.join(', ')}; there are ${Object.keys(benchmarks).join(', ')}`);
    return 3;
  }
  const load = loadavg()[0] ?? 0;
  const figures: Figure[] = [];
  for (const [name, run] of Object.entries(benchmarks)) {
    if (options.names.length > 0 && !options.names.includes(name)) continue;
    console.error(`${name} …`);
    figures.push(...(await run(options)));
  }
  const table = tableOf(figures);
  console.log(table);
  if (options.names.length === 0) writeFileSync(join(options.root, 'bench/RESULTS.md'), page(table, load));
  return figures.some(({ met }) => met === false) ? 1 : 0;
}

function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, value, goal = '', met }) => {
    const mark = met === undefined ? '' : met ? 'met' : '**missed**';
    return `| ${what} | ${value} | ${goal} | ${mark} |`;
  });
  return ['| what | measured | goal | |', '|---|---|---|---|', ...rows].join('\n');
}

function page(table: string, load: number): string {
  return `# Results

Written by \`npm run bench\`. Node ${process.versions.node}, ${availableParallelism()} cores, load average ${load.toFixed(1)} when it began: wall-clock
figures are worse on cores that are busy with something else. Figures in virtual time do not depend on the machine.

${table}

How each is measured stands at the head of its file: \`planning.ts\`, \`overhead.ts\`, \`hops.ts\`, \`thousand.ts\`, \`version.ts\`.
`;
}
