// Bundles the assembly of the executor image into one file and runs it. `node images/executor/assemble.mjs --out /tmp/executor`
import { mkdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Below node_modules, so that packages left out of the bundle are found.
const folder = `${root}node_modules/.cache/tiphys`;
mkdirSync(folder, { recursive: true });
const bundle = `${folder}/assemble-${process.pid}.mjs`;
await build({
  absWorkingDir: root,
  entryPoints: ['images/executor/assembly/main.ts'],
  outfile: bundle,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});
const { main } = await import(pathToFileURL(bundle).href);
process.exitCode = await main(process.argv.slice(2), root.replace(/\/$/, ''));
