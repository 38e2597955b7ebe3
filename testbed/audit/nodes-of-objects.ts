import { nodeGraph } from '../../src/core/platform/node-graph.ts';
import type { App, Part, Platform } from '../../src/core/platform/platform.ts';
import type { Creation } from './creations.ts';

/** The node of the platform's graph that brings this object: an app, or a part of it that others need; undefined for what is no app's. */
export function nodesOfObjects(platform: Platform): (object: Creation) => string | undefined {
  const byApplication = new Map([...platform.apps.values()].map((app) => [app.application, app]));
  const { partNodes } = nodeGraph(platform);
  return (object) => {
    const app = byApplication.get(object.application ?? '');
    if (app === undefined) return undefined;
    return partsOf(app, partNodes).find(([, part]) => isOfPart(part, object))?.[0] ?? app.name;
  };
}

function partsOf(app: App, partNodes: ReadonlySet<string>): [string, Part][] {
  return [...app.parts].flatMap(([name, part]): [string, Part][] => {
    const node = `${app.name}#${name}`;
    return partNodes.has(node) ? [[node, part]] : [];
  });
}

/** The namespace of an app comes with whatever of it comes first. */
export function isOfPart({ kinds, names }: Part, { kind, name }: Pick<Creation, 'kind' | 'name'>): boolean {
  if (kind === 'Namespace') return true;
  return kinds.includes(kind) && (names.length === 0 || names.includes(name));
}
