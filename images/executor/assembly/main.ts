import { readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { OperatorError } from '../../../src/engine/operator-error.ts';
import { assembleRoot } from './assemble-root.ts';
import { cacheFolder } from './cache-folder.ts';
import { type Architecture, architectures, here, readContents } from './contents.ts';
import { AssemblyError } from './run.ts';
import { type Root, writeLayout } from './write-layout.ts';

/** The command line of the assembly. Answers the exit code. */
export async function main(args: readonly string[], repository: string): Promise<number> {
  // Modes of files shall not depend on who assembles.
  process.umask(0o022);
  try {
    await program(repository).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (!(error instanceof AssemblyError || error instanceof OperatorError)) throw error;
    process.stderr.write(`error: ${error.message}\n  ${error.hint ?? ''}\n`);
    return 1;
  }
}

interface Options {
  readonly out: string;
  readonly arch: readonly Architecture[];
  readonly image: boolean;
  readonly node?: string;
  readonly programs?: string;
  readonly charts?: string;
  readonly revision?: string;
}

function program(repository: string): Command {
  return new Command('assemble')
    .description(
      'Makes the executor image without a container engine: layers as folders, and an OCI image layout of them.',
    )
    .requiredOption('--out <folder>', 'where layers/<architecture>/ and image/ are written')
    .addOption(new Option('--arch <architecture...>', 'for which machines').choices(architectures).default([here()]))
    .option('--no-image', 'only the layers, as folders')
    .option('--node <file>', 'a Node.js program instead of the npm package')
    .option(
      '--programs <folder>',
      'helm, kubectl, kubeseal and yq that are there already; what is missing is built with Go',
    )
    .option(
      '--charts <folder>',
      'the charts of bootstrap/charts.lock, or oci://mirror; pulled from their sources unless told',
    )
    .option('--revision <commit>', 'for the label of that name')
    .action((options: Options) => assemble(repository, options));
}

async function assemble(repository: string, options: Options): Promise<void> {
  const { arch, image, out, node, programs, charts, revision } = options;
  const contents = readContents(repository);
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const cache = cacheFolder(process.env);
  await mkdir(cache, { recursive: true });
  const given = {
    ...(node === undefined ? {} : { node: resolve(node) }),
    ...(programs === undefined ? {} : { programs: resolve(programs) }),
    ...(charts === undefined ? {} : { charts: charts.startsWith('oci://') ? charts : resolve(charts) }),
  };
  const roots: Root[] = [];
  for (const architecture of arch) {
    const order = { repository, contents, architecture, cache, env: process.env, report, ...given };
    const folder = resolve(out, 'layers', architecture);
    const folders = await assembleRoot(order, folder, version);
    const bill = join(folder, 'tiphys', contents.tiphys.home, 'sbom.cdx.json');
    await copyFile(bill, resolve(out, `sbom-${architecture}.cdx.json`));
    roots.push({ architecture, folders });
  }
  if (!image) return;
  report('packing the layers');
  const epoch = Number(process.env['SOURCE_DATE_EPOCH'] ?? 0);
  const facts = { contents, version, epoch, ...(revision === undefined ? {} : { revision }) };
  process.stdout.write(`${await writeLayout(resolve(out, 'image'), roots, facts)}\n`);
}
