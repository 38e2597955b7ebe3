import { mkdir, stat, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { runGo } from './go-tool.ts';
import { isFolder, placeFolder } from './place-folder.ts';
import { inCopy, type Order } from './recipe.ts';
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
  const { name, binary, programs } = recipe.target;
  const started = performance.now();
  report(`${name}: compiling`);
  await placeFolder(place, async (draft) => {
    const file = `${draft}/${binary}`;
    const args = ['build', '-mod=mod', ...recipe.flags, '-o', file, recipe.target.package];
    await inCopy(recipe, (cwd) => runGo(args, { env, cwd, what: `building ${name}` }));
    for (const program of programs) if (program.name !== binary) await symlink(binary, `${draft}/${program.name}`);
    await verifyVersion(recipe.target, draft, env);
  });
  const megabytes = Math.round((await stat(`${place}/${binary}`)).size / 1e6);
  report(`${name}: built in ${Math.round((performance.now() - started) / 1000)} s, ${megabytes} MB`);
}
