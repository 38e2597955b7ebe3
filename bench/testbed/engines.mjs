// Measures the engines beside each other on a real Argo CD and a real Argo Workflows, prints the tables and writes them to
// bench/ENGINES.md. `npm run bench:engines` runs everything; `-- chain` some of it, and writes nothing. `--runs 1` is for those in a hurry.
import { mkdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Below node_modules, so that packages left out of the bundle are found.
const outdir = `${root}node_modules/.cache/tiphys-bench/engines`;
mkdirSync(outdir, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: ['bench/testbed/engines.ts'],
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
const { measureEngines } = await import(pathToFileURL(`${outdir}/engines.js`).href);
process.exitCode = await measureEngines({ root, args: process.argv.slice(2) });
