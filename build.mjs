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
  external: ['@kubernetes/client-node', '@hpcc-js/wasm-graphviz'],
  // Packages of the old kind load their parts by `require`, which a module does not have.
  banner: {
    js: "import { createRequire as tiphysRequire } from 'node:module'; const require = tiphysRequire(import.meta.url);",
  },
  sourcemap: true,
  loader: { '.lua': 'text', '.css': 'text' },
  logLevel: 'warning',
});
