import { runGo } from './go-tool.ts';
import { inCopy, type Order, tagsOf } from './recipe.ts';

// More at once and the proxy answers that it is too many.
const atOnce = 3;
const pausesMs = [3000, 10_000, 30_000];

/** Fetches the dependencies of each order, a few at a time; each promise gives the error, if there was one. */
export function resolveDependencies(orders: readonly Order[]): Promise<Error | undefined>[] {
  const results: Promise<Error | undefined>[] = [];
  for (const [index, order] of orders.entries()) {
    const before = results[index - atOnce] ?? Promise.resolve(undefined);
    results.push(before.then(() => resolve(order)));
  }
  return results;
}

async function resolve({ recipe, env, report }: Order): Promise<Error | undefined> {
  const { name, package: path } = recipe.target;
  const started = performance.now();
  try {
    await inCopy(recipe, (cwd) =>
      runGo(['list', '-mod=mod', '-deps', ...tagsOf(recipe.target), path], {
        env,
        cwd,
        what: `fetching the dependencies of ${name}`,
        pausesMs,
      }),
    );
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  report(`${name}: dependencies there after ${Math.round((performance.now() - started) / 1000)} s`);
  return undefined;
}
