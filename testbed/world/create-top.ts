import { windowsOf, withHold } from '../../src/adapters/argocd/hold-window.ts';
import type { KubeClient } from '../../src/adapters/kubernetes/client.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import type { Published } from './publish.ts';

/** What a bootstrap brings: definitions that no app brings, and the Applications at the top under the hold. What is there stays. */
export async function createTop(
  client: KubeClient,
  { platform, preinstalled, top }: Pick<Published, 'platform' | 'preinstalled' | 'top'>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { argocdNamespace } = platform.environment;
  const argocd = `/apis/argoproj.io/v1alpha1/namespaces/${argocdNamespace}`;
  const [project, ...applications] = top;
  const created = await createMissing(client, { path: definitionsPath, objects: preinstalled }, signal);
  const missing = await missingOf(client, { path: `${argocd}/applications`, objects: applications }, signal);
  if (project === undefined || missing.length === 0) return created;
  // The hold comes first: an Application with automation on starts the moment it is seen.
  const found = await client.get<KubeObject>(`${argocd}/appprojects/default`, signal);
  if (found === undefined) await client.create(`${argocd}/appprojects`, project, signal);
  else await hold(client, { path: `${argocd}/appprojects/default`, found, wanted: missing, platform: platform.name });
  return [...created, ...(await createMissing(client, { path: `${argocd}/applications`, objects: missing }, signal))];
}

const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

async function hold(
  client: KubeClient,
  {
    path,
    found,
    wanted,
    platform,
  }: { path: string; found: KubeObject; wanted: readonly KubeObject[]; platform: string },
): Promise<void> {
  const names = wanted.map(({ metadata }) => metadata.name).sort();
  const syncWindows = withHold(windowsOf(found), platform, names);
  const { resourceVersion } = found.metadata;
  await client.mergePatch(path, { metadata: { resourceVersion }, spec: { syncWindows } });
}

interface Collection {
  readonly path: string;
  readonly objects: readonly KubeObject[];
}

async function missingOf(client: KubeClient, { path, objects }: Collection, signal?: AbortSignal) {
  const missing: KubeObject[] = [];
  for (const object of objects) {
    if ((await client.get(`${path}/${object.metadata.name}`, signal)) === undefined) missing.push(object);
  }
  return missing;
}

async function createMissing(client: KubeClient, collection: Collection, signal?: AbortSignal): Promise<string[]> {
  const missing = await missingOf(client, collection, signal);
  for (const object of missing) await client.create(collection.path, object, signal);
  return missing.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}
