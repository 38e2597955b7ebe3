import type { KubeClient } from './client.ts';

/** A type of the API, and where its objects live. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Without a name the collection; without a namespace that of all namespaces. */
  path(namespace?: string, name?: string): string;
}

export interface Discovery {
  /** The type by apiVersion (`apps/v1`, `v1`) or group (`apps`, `` for core), undefined while the server does not know it. */
  resourceFor(apiVersionOrGroup: string, kind: string, signal?: AbortSignal): Promise<Resource | undefined>;
  /** All types that can be listed, each in its group's preferred version. */
  allResources(signal?: AbortSignal): Promise<AllResources>;
}

export interface AllResources {
  readonly resources: readonly Resource[];
  /** Group versions whose own server does not answer, such as an aggregated API that is down. */
  readonly unavailable: readonly string[];
}

/** Knows which types the server has. What is there is remembered; what is missing is asked for again, because definitions arrive during a run. */
export function createDiscovery(client: KubeClient): Discovery {
  const known = new Map<string, readonly ListedResource[]>();
  const preferred = new Map<string, string>();

  async function read(groupVersion: string, signal?: AbortSignal): Promise<readonly ListedResource[] | undefined> {
    const answer = await client.get<ResourceList>(rootOf(groupVersion), signal);
    return answer && remember(groupVersion, answer);
  }

  function remember(groupVersion: string, answer: ResourceList): readonly ListedResource[] {
    const resources = (answer.resources ?? []).filter((one) => !one.name.includes('/'));
    known.set(groupVersion, resources);
    return resources;
  }

  async function preferredVersion(group: string, signal?: AbortSignal): Promise<string | undefined> {
    if (group === '') return 'v1';
    const before = preferred.get(group);
    if (before !== undefined) return before;
    const answer = await client.get<ListedGroup>(`/apis/${group}`, signal);
    const version = answer?.preferredVersion?.groupVersion;
    if (version !== undefined) preferred.set(group, version);
    return version;
  }

  async function resourceFor(apiVersionOrGroup: string, kind: string, signal?: AbortSignal) {
    const isVersion = apiVersionOrGroup.includes('/') || /^v\d+((alpha|beta)\d+)?$/.test(apiVersionOrGroup);
    const version = isVersion ? apiVersionOrGroup : await preferredVersion(apiVersionOrGroup, signal);
    if (version === undefined) return undefined;
    const ofKind = (one: ListedResource): boolean => one.kind === kind;
    const found = known.get(version)?.find(ofKind) ?? (await read(version, signal))?.find(ofKind);
    return found && resourceOf(version, found);
  }

  /** One attempt first: waiting for retries would hold up everything for one aggregated API that is down. */
  async function readIfAvailable(groupVersion: string, signal?: AbortSignal) {
    const before = known.get(groupVersion);
    if (before !== undefined) return before;
    const { status, body } = await client.raw('GET', rootOf(groupVersion), signal);
    if (status === 503) return undefined;
    if (status === 200) return remember(groupVersion, JSON.parse(body));
    return (await read(groupVersion, signal)) ?? [];
  }

  async function allResources(signal?: AbortSignal): Promise<AllResources> {
    const groups = await client.get<{ groups?: ListedGroup[] }>('/apis', signal);
    const versions = (groups?.groups ?? []).flatMap((one) => one.preferredVersion?.groupVersion ?? []);
    const all = await Promise.all(
      ['v1', ...versions].map(async (version) => ({ version, listed: await readIfAvailable(version, signal) })),
    );
    return {
      resources: all.flatMap(({ version, listed = [] }) =>
        listed.filter((one) => one.verbs?.includes('list')).map((one) => resourceOf(version, one)),
      ),
      unavailable: all.flatMap(({ version, listed }) => (listed === undefined ? [version] : [])),
    };
  }

  return { resourceFor, allResources };
}

interface ListedResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs?: readonly string[];
}

interface ResourceList {
  readonly resources?: readonly ListedResource[];
}

interface ListedGroup {
  readonly preferredVersion?: { readonly groupVersion?: string };
}

function rootOf(groupVersion: string): string {
  return groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
}

function resourceOf(apiVersion: string, { name: plural, kind, namespaced }: ListedResource): Resource {
  return {
    apiVersion,
    kind,
    namespaced,
    path: (namespace, name) => {
      const within = namespaced && namespace !== undefined ? `/namespaces/${namespace}` : '';
      return `${rootOf(apiVersion)}${within}/${plural}${name === undefined ? '' : `/${name}`}`;
    },
  };
}
