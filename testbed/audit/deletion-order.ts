import { nodeGraph } from '../../src/core/platform/node-graph.ts';
import type { Platform } from '../../src/core/platform/platform.ts';
import { creations, keyOf } from './creations.ts';
import { nodesOfObjects } from './nodes-of-objects.ts';
import type { AuditEntry } from './read-audit.ts';

/** How the objects of one node went. */
export interface NodeDeletion {
  readonly node: string;
  readonly objects: readonly string[];
  /** The first of its objects that was told to go, and when. */
  readonly first: { readonly key: string; readonly at: number };
  /** The last of them that was gone. */
  readonly last: { readonly key: string; readonly at: number };
}

export interface Removals {
  readonly nodes: ReadonlyMap<string, NodeDeletion>;
  /** Sentences: what went before what needed it had gone. */
  readonly wrong: readonly string[];
}

/** The reverse of INV-1, from the API server's own log: no object of an app was deleted before everything that needs it was gone. */
export function deletionOrder(platform: Platform, entries: readonly AuditEntry[]): Removals {
  const nodeOf = nodesOfObjects(platform);
  const owner = new Map(creations(entries).map((object) => [object.key, nodeOf(object)]));
  const nodes = nodeDeletions(entries, (key) => owner.get(key));
  const wrong: string[] = [];
  for (const [dependent, needs] of nodeGraph(platform).graph) {
    for (const need of needs) {
      const [above, below] = [nodes.get(dependent), nodes.get(need)];
      if (above === undefined || below === undefined || below.first.at >= above.last.at) continue;
      wrong.push(`${below.first.key} of ${need} was deleted while ${above.last.key} of ${dependent} was there`);
    }
  }
  return { nodes, wrong };
}

function nodeDeletions(
  entries: readonly AuditEntry[],
  nodeOf: (key: string) => string | undefined,
): Map<string, NodeDeletion> {
  const nodes = new Map<string, NodeDeletion>();
  for (const [key, { begun, gone }] of deletions(entries)) {
    const node = nodeOf(key);
    if (node === undefined) continue;
    const known = nodes.get(node);
    nodes.set(node, {
      node,
      objects: [...(known?.objects ?? []), key],
      first: known !== undefined && known.first.at <= begun ? known.first : { key, at: begun },
      last: known !== undefined && known.last.at >= gone ? known.last : { key, at: gone },
    });
  }
  return nodes;
}

/** From the first request to delete an object until the last write it saw: whoever removed its last finalizer ended it. */
function deletions(entries: readonly AuditEntry[]): Map<string, { begun: number; gone: number }> {
  const found = new Map<string, { begun: number; gone: number }>();
  for (const entry of entries) {
    if (entry.isTrial || entry.code >= 300) continue;
    const key = keyOf(entry);
    const known = found.get(key);
    if (known !== undefined) {
      // Made again after it had gone: it is another object now.
      if (entry.code === 201) found.delete(key);
      else found.set(key, { begun: known.begun, gone: Math.max(known.gone, entry.receivedAt) });
    } else if (entry.verb === 'delete' && entry.subresource === undefined) {
      found.set(key, { begun: entry.receivedAt, gone: entry.receivedAt });
    }
  }
  return found;
}
