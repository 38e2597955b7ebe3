import { watchStream } from '../../src/adapters/kubernetes/watch-stream.ts';
import { pathOf, type SeenApplication } from './argo.ts';
import type { ContractCluster } from './cluster.ts';

/** Every state of one Application that a watch shows from now on, oldest first. */
export async function record(cluster: ContractCluster, name: string): Promise<readonly SeenApplication[]> {
  const states: SeenApplication[] = [];
  const path = pathOf(name);
  const cut = path.lastIndexOf('/');
  const query = `watch=true&allowWatchBookmarks=false&fieldSelector=metadata.name%3D${path.slice(cut + 1)}`;
  const events = watchStream<SeenApplication>(
    cluster,
    { path: `${path.slice(0, cut)}?${query}`, idleMs: 600_000, opened: () => undefined },
    cluster.signal,
  );
  const first = await events.next();
  if (first.done !== true) states.push(first.value.object);
  void (async () => {
    for await (const { object } of events) states.push(object);
  })().catch(() => undefined);
  return states;
}

/** The state in which something became so, and the one before it. */
export function turningPoint(
  states: readonly SeenApplication[],
  isSo: (state: SeenApplication) => boolean,
): { readonly before: SeenApplication; readonly after: SeenApplication } {
  const index = states.findIndex((state, position) => position > 0 && isSo(state) && !isSo(states[position - 1]!));
  const [before, after] = [states[index - 1], states[index]];
  if (index < 1 || before === undefined || after === undefined) throw new Error('it never became so');
  return { before, after };
}
