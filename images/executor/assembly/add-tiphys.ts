import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { addCharts } from './add-charts.ts';
import type { Order } from './order.ts';

/** Puts our own program and files into the image; gives the packages of npm that the program is made of, as folders of the repository. */
export async function addTiphys(order: Order, folder: string): Promise<string[]> {
  const { home, folders } = order.contents.tiphys;
  const target = join(folder, home);
  order.report('bundling our own program');
  const packages = await bundle(order.repository, join(target, 'dist'));
  for (const name of folders) {
    await mkdir(dirname(join(target, name)), { recursive: true });
    await cp(join(order.repository, name), join(target, name), { recursive: true, filter: isOurs });
  }
  const { name, version, license, type } = JSON.parse(await readFile(join(order.repository, 'package.json'), 'utf8'));
  // Its `type` makes modules of the files in bin/.
  await writeFile(join(target, 'package.json'), `${JSON.stringify({ name, version, license, type })}\n`);
  await cp(join(order.repository, 'LICENSE'), join(target, 'LICENSE'));
  await addCharts(order, folder);
  return packages;
}

/** With every package inside, so that the image needs no npm and no node_modules. */
async function bundle(repository: string, outdir: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: repository,
    entryPoints: { tiphys: 'src/cli/main.ts' },
    outdir,
    bundle: true,
    splitting: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    loader: { '.lua': 'text', '.css': 'text' },
    // Packages of the old kind load their parts by `require`, which a module does not have.
    banner: {
      js: "import { createRequire as tiphysRequire } from 'node:module'; const require = tiphysRequire(import.meta.url);",
    },
    logLevel: 'warning',
    // Without its settings the same source becomes another program.
    logOverride: { 'tsconfig.json': 'error' },
  });
  return packagesOf(Object.keys(metafile.inputs));
}

/** The folders of the packages that files belong to, sorted. */
export function packagesOf(inputs: readonly string[]): string[] {
  const folders = inputs.flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** What programs leave beside the files that they read is not ours. */
function isOurs(path: string): boolean {
  return !/^(__pycache__|\.ansible|\.venv|\.cache|node_modules)$/.test(basename(path));
}
