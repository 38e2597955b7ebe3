import { readdir } from 'node:fs/promises';
import { buildFolder } from './build-folder.ts';
import { buildTarget } from './build-target.ts';
import { goVersion, orGivenPrograms, requireGo } from './go-tool.ts';
import { isFolder } from './place-folder.ts';
import { type Order, type Recipe, readRecipe } from './recipe.ts';
import { resolveDependencies } from './resolve-dependencies.ts';
import type { Target } from './targets.ts';

interface BuildRequest {
  readonly targets: readonly Target[];
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
}

/** Builds the targets that are not in the cache yet, telling what happens; gives the folder of each by name. */
export async function buildAll({ targets, cache, env, report }: BuildRequest): Promise<Map<string, string>> {
  const recipes = await Promise.all(targets.map(readRecipe));
  const go = await goVersion(env, buildFolder());
  const bin = `${cache}/bin`;
  const found = await Promise.all(recipes.map((recipe) => inCache(bin, recipe, go)));
  const missing = recipes.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) {
    requireGo(go, { to: 'build the programs of the testbed', instead: orGivenPrograms });
    const orders = missing.map((recipe) => ({ recipe, place: placeOf(bin, recipe, go), env, report }));
    await buildOneByOne(orders, report);
  }
  return new Map(recipes.map((recipe, index) => [recipe.target.name, found[index] ?? placeOf(bin, recipe, go)]));
}

// The compiler uses every core by itself, so one after the other; waiting for the proxy takes none, so that goes ahead.
async function buildOneByOne(orders: readonly Order[], report: (line: string) => void): Promise<void> {
  const names = orders.map(({ recipe }) => recipe.target.name).join(', ');
  report(`building ${names} from source (once; a quarter of an hour on two idle cores, 20 GB of Go's caches)`);
  const resolved = resolveDependencies(orders);
  for (const [index, order] of orders.entries()) {
    const failure = await resolved[index];
    if (failure !== undefined) throw failure;
    await buildTarget(order);
  }
}

// Without any Go a build of whichever Go is good enough: a cache that was carried over needs no compiler.
async function inCache(bin: string, recipe: Recipe, go: string | undefined): Promise<string | undefined> {
  if (go !== undefined) {
    const place = placeOf(bin, recipe, go);
    return (await isFolder(place)) ? place : undefined;
  }
  const names = (await isFolder(bin)) ? await readdir(bin) : [];
  const name = names.find((each) => each.startsWith(placeName(recipe, 'go')) && /-[a-z0-9]+$/.test(each));
  return name === undefined ? undefined : `${bin}/${name}`;
}

function placeOf(bin: string, recipe: Recipe, go: string | undefined): string {
  return `${bin}/${placeName(recipe, go ?? '')}`;
}

function placeName({ target, hash }: Recipe, go: string): string {
  return `${target.name}-${hash}-${go}`;
}
