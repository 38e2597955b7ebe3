import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildFolder } from './build-folder.ts';
import type { Target } from './targets.ts';

/** How a target is built: its wrapper module and the words given to `go`. */
export interface Recipe {
  readonly target: Target;
  readonly files: ReadonlyMap<string, string>;
  readonly flags: readonly string[];
  /** The same for the same files and flags, whatever the version of Go. */
  readonly hash: string;
}

/** What is to be built, and the folder in the cache that it is to stand in. */
export interface Order {
  readonly recipe: Recipe;
  readonly place: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
}

/** Reads the recipe of a target. */
export async function readRecipe(target: Target): Promise<Recipe> {
  const folder = join(buildFolder(), target.name);
  const files = new Map<string, string>();
  for (const name of (await readdir(folder)).sort()) files.set(name, await readFile(join(folder, name), 'utf8'));
  const flags = flagsOf(target);
  const hash = createHash('sha256')
    .update(JSON.stringify([[...files], flags, target.package]))
    .digest('hex')
    .slice(0, 16);
  return { target, files, flags, hash };
}

function flagsOf(target: Target): string[] {
  const variables = Object.entries(target.variables).map(([name, value]) => `-X ${name}=${value}`);
  return ['-trimpath', '-ldflags', ['-s', '-w', ...variables].join(' '), ...tagsOf(target)];
}

/** The build tags of a target as words for `go`. */
export function tagsOf(target: Target): string[] {
  return target.tags.length === 0 ? [] : ['-tags', target.tags.join(',')];
}

/** Works in a copy of the wrapper module, because Go completes `go.mod` and `go.sum` for other systems than ours. */
export async function inCopy<T>(recipe: Recipe, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-build-'));
  try {
    for (const [name, text] of recipe.files) await writeFile(join(folder, name), text);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
