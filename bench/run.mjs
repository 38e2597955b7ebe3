// Measures what the project promises about speed, prints a table and writes it to bench/RESULTS.md.
// `npm run bench` runs everything; `node bench/run.mjs hops version` runs some and writes nothing.
import { mkdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
// Below node_modules, so that packages left out of the bundle are found.
const outdir = `${root}node_modules/.cache/tiphys-bench`;
mkdirSync(outdir, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: ['bench/measure.ts', 'bench/planning-child.ts', 'bench/hop-server.ts'],
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
const { measure } = await import(pathToFileURL(`${outdir}/measure.js`).href);
process.exitCode = await measure({ root, built: outdir, names: process.argv.slice(2) });
