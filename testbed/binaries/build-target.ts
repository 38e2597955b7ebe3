import { mkdir, stat, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { runGo } from './go-tool.ts';
import { isFolder, placeFolder } from './place-folder.ts';
import { inCopy, type Order, type Recipe } from './recipe.ts';
import { verifyVersion } from './verify-version.ts';
import { withLock } from './with-lock.ts';

/** Builds one target into its place, unless somebody else has done so meanwhile. */
export async function buildTarget(order: Order): Promise<void> {
  const { recipe, place, report } = order;
  await mkdir(dirname(place), { recursive: true });
  const waiting = () => report(`${recipe.target.name}: another process builds it, waiting`);
  await withLock(`${place}.lock`, waiting, async () => {
    if (!(await isFolder(place))) await build(order);
  });
}

async function build({ recipe, place, env, report }: Order): Promise<void> {
  const { name, binary } = recipe.target;
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  report(`${name}: compiling`);
  const stillAlive = setInterval(() => report(`${name}: still compiling after ${seconds()} s`), 60_000);
  try {
    await placeFolder(place, (draft) => compile(recipe, draft, env));
  } finally {
    clearInterval(stillAlive);
  }
  const megabytes = Math.round((await stat(`${place}/${binary}`)).size / 1e6);
  report(`${name}: built in ${seconds()} s, ${megabytes} MB`);
}

async function compile(recipe: Recipe, draft: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { name, binary, programs, package: path } = recipe.target;
  const args = ['build', '-mod=mod', ...recipe.flags, '-o', `${draft}/${binary}`, path];
  await inCopy(recipe, (cwd) => runGo(args, { env, cwd, what: `building ${name}` }));
  for (const program of programs) {
    if (program.name !== binary) await symlink(binary, `${draft}/${program.name}`);
  }
  await verifyVersion(recipe.target, draft, env);
}
