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
  // Small packages come along: to look for their many files takes longer than to read them. Large ones are loaded only when they are needed.
  external: ['@kubernetes/client-node', '@hpcc-js/wasm-graphviz', 'log-update'],
  // For those of them that are no ES modules.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  sourcemap: true,
  loader: { '.lua': 'text', '.css': 'text' },
  logLevel: 'warning',
});
