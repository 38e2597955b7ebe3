// Bundles the command line into dist/: one entry, one lazy chunk per command, so that `--version` loads almost nothing.
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: { tiphys: 'src/cli/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  loader: { '.lua': 'text', '.css': 'text' },
  logLevel: 'warning',
});
