// Measures Tiphys on a real Argo CD beside what else could do its work, prints tables and writes them to bench/TESTBED.md.
// `npm run bench:testbed` runs everything; `-- chain fan` some of it, and writes nothing. `--runs 1` is for those in a hurry.
import { mkdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Below node_modules, so that packages left out of the bundle are found.
const outdir = `${root}node_modules/.cache/tiphys-bench/testbed`;
mkdirSync(outdir, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: ['bench/testbed/measure-testbed.ts', 'bench/testbed/floor.ts'],
  outdir,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  loader: { '.lua': 'text', '.css': 'text' },
  logLevel: 'warning',
});
process.chdir(root);
const { measureTestbed } = await import(pathToFileURL(`${outdir}/measure-testbed.js`).href);
process.exitCode = await measureTestbed({ root, built: outdir, args: process.argv.slice(2) });
