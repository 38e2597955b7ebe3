import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import { foreignFinalizer } from '../../src/sandbox/world/workload-script.ts';
import { type Definition, operatedKind } from './operated-kinds.ts';

/** Lets objects go whose app is no longer meant to be stuck: Argo CD syncs nothing that is being deleted, so Git cannot mend them. */
export async function releaseStuck(
  client: KubeClient,
  stuckApps: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const released: string[] = [];
  for (const path of await pathsOf(client, signal)) {
    const { items } = await client.list<KubeObject>(path, {}, signal);
    for (const { metadata } of items.filter(isStuck)) {
      const { name, namespace = '' } = metadata;
      // Every app has a namespace of its name.
      if (stuckApps.has(namespace)) continue;
      await client.mergePatch(objectPath(path, namespace, name), { metadata: withoutForeign(metadata) }, signal);
      released.push(`${namespace}/${name}`);
    }
  }
  return released;
}

/** Where the objects stand that do an app's work. */
async function pathsOf(client: KubeClient, signal?: AbortSignal): Promise<readonly string[]> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const { items } = await client.list<Definition>(path, {}, signal);
  const custom = items.flatMap((definition) => {
    const kind = operatedKind(definition);
    return kind === undefined ? [] : [`/apis/${kind.group}/${kind.version}/${definition.spec.names.plural}`];
  });
  return ['/apis/apps/v1/deployments', '/apis/apps/v1/statefulsets', ...custom];
}

function isStuck({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(foreignFinalizer) === true;
}

function withoutForeign({ finalizers = [], resourceVersion }: KubeObject['metadata']): object {
  return { resourceVersion, finalizers: finalizers.filter((finalizer) => finalizer !== foreignFinalizer) };
}

function objectPath(collection: string, namespace: string, name: string): string {
  const slash = collection.lastIndexOf('/');
  return `${collection.slice(0, slash)}/namespaces/${namespace}${collection.slice(slash)}/${name}`;
}
