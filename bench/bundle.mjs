// Bundles the parts of a benchmark, so that what is measured starts like the released program: as one file.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The clone, with a slash at the end. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** The folder in which the bundles are. */
export async function bundle(name, entryPoints) {
  // Below node_modules, so that packages left out of the bundle are found.
  const outdir = `${root}node_modules/.cache/tiphys-bench/${name}`;
  mkdirSync(outdir, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints,
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
  return outdir;
}
