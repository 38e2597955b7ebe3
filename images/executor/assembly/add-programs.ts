import { createHash } from 'node:crypto';
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Architecture, GoProgram } from './contents.ts';
import { expectArchitecture } from './expect-architecture.ts';
import { isThere } from './is-there.ts';
import type { Order } from './order.ts';
import { readBuildInfo } from './read-build-info.ts';
import { AssemblyError, run } from './run.ts';

/** Puts the Go programs into the image: those that are given, and the others built from their locked modules. */
export async function addPrograms(order: Order, folder: string): Promise<void> {
  const bin = join(folder, 'usr/local/bin');
  await mkdir(bin, { recursive: true });
  for (const name of Object.keys(order.contents.programs)) {
    await copyFile(await findProgram(order, name, order.architecture), join(bin, name));
    await chmod(join(bin, name), 0o755);
  }
}

/** A program of the wanted version for an architecture; it is built when it is neither given nor in the cache. */
export async function findProgram(order: Order, name: string, architecture: Architecture): Promise<string> {
  const program = order.contents.programs[name];
  if (program === undefined) throw new Error(`contents.yaml has no program ${name}`);
  const given = order.programs === undefined ? undefined : join(order.programs, name);
  // Those that are given are for the image, not for this machine.
  const isGiven = given !== undefined && architecture === order.architecture && (await isThere(given));
  const file = isGiven ? given : await build(order, { name, program, architecture });
  await verify(name, program, file);
  await expectArchitecture(file, architecture);
  return file;
}

interface Wanted {
  readonly name: string;
  readonly program: GoProgram;
  readonly architecture: Architecture;
}

async function build(order: Order, { name, program, architecture }: Wanted): Promise<string> {
  const modules = join(order.repository, program.folder);
  const variables = Object.entries(program.variables).map(([variable, value]) => `-X ${variable}=${value}`);
  const flags = ['-trimpath', '-ldflags', ['-s', '-w', ...variables].join(' ')];
  // Another Go has other mistakes in what it puts into each program: what an old one has built is not taken from the cache.
  const go = (await run('go', ['env', 'GOVERSION'], { cwd: modules })).trim();
  const hash = await hashOf(modules, [...flags, program.package, go]);
  const place = join(order.cache, `${name}-${program.version}-${architecture}-${hash}`);
  if (await isThere(place)) return place;
  order.report(`building ${name} ${program.version} for ${architecture}`);
  // In a copy, because Go completes go.mod and go.sum for other systems than ours.
  const draft = await mkdtemp(join(tmpdir(), 'tiphys-image-'));
  try {
    await cp(modules, draft, { recursive: true });
    const env = { CGO_ENABLED: '0', GOOS: 'linux', GOARCH: architecture, GOFLAGS: '-buildvcs=false' };
    await run('go', ['build', '-mod=mod', ...flags, '-o', `${place}.new`, program.package], { cwd: draft, env });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await rename(`${place}.new`, place);
  return place;
}

async function hashOf(folder: string, words: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(words));
  for (const name of (await readdir(folder)).sort()) hash.update(name).update(await readFile(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}

async function verify(name: string, { module, version }: GoProgram, file: string): Promise<void> {
  const found = (await readBuildInfo(file))?.modules.find(({ path }) => path === module)?.version ?? 'unknown';
  if (found === `v${version}`) return;
  throw new AssemblyError(
    `${file} is ${name} ${found}, and the image wants ${version}`,
    'leave it out of the folder to have it built, or put the right one there',
  );
}
