// Bundles the testbed's command into one file and runs it. `npm run testbed -- up`
import { mkdirSync, renameSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
// Below node_modules, so that packages left out of the bundle are found.
const folder = `${root}node_modules/.cache/tiphys`;
mkdirSync(folder, { recursive: true });
const made = `${folder}/testbed-${process.pid}.mjs`;
await build({
  absWorkingDir: root,
  entryPoints: ['testbed/entry.ts'],
  outfile: made,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  loader: { '.lua': 'text', '.css': 'text' },
  logLevel: 'warning',
});
// One name for whoever starts it again; renamed in place, so that nobody ever reads half a file.
const bundle = `${folder}/testbed.mjs`;
renameSync(made, bundle);
await import(pathToFileURL(bundle).href);
