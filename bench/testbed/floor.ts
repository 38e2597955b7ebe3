import { randomUUID } from 'node:crypto';
import { systemClock as clock } from '../../src/adapters/clock/system-clock.ts';
import { createClient } from '../../src/adapters/kubernetes/client.ts';
import { ApiError } from '../../src/adapters/kubernetes/errors.ts';
import { httpsTransport } from '../../src/adapters/kubernetes/https-transport.ts';
import { connect } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { createReflector } from '../../src/adapters/kubernetes/reflector.ts';
import { nodeGraph } from '../../src/core/platform/node-graph.ts';
import { appOf, partOf } from '../../src/core/platform/node-name.ts';
import { readWorld } from '../../testbed/world/read-world.ts';

// The floor: what bringing a platform up in order costs at the very least. An edge-driven loop on a watch, and nothing else: no
// lease, plan, gate, evidence, report or hand-over. Arguments: a kubeconfig and the folder of a platform.
interface Application {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly annotations?: Record<string, string>;
  };
  readonly spec: { readonly syncPolicy?: { readonly syncOptions?: readonly string[] } };
  readonly operation?: object;
  readonly status?: {
    readonly sync?: { readonly status?: string };
    readonly health?: { readonly status?: string };
    readonly resources?: readonly Resource[];
    readonly operationState?: { readonly phase: string; readonly operation: { readonly info?: { value: string }[] } };
  };
}

interface Resource {
  readonly group?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

const [kubeconfig = '', folder = ''] = process.argv.slice(2);
const { platform } = await readWorld(folder, {}, 'unused');
const argocd = '/apis/argoproj.io/v1alpha1/namespaces/argocd';
const refresh = 'argocd.argoproj.io/refresh';
const transport = httpsTransport(await connect({ path: kubeconfig }));
const client = createClient(transport, { clock, userAgent: 'floor' });
const ending = new AbortController();
const watch = createReflector<Application>(client, { path: `${argocd}/applications`, clock }, ending.signal);
const seen = (name: string): Application | undefined => watch.get(`argocd/${name}`);
const patch = (name: string, body: object): Promise<Application> =>
  client.mergePatch<Application>(`${argocd}/applications/${name}`, body);

/** Waits for it, and touches the Application every two seconds: Argo CD may have overlooked us. */
async function awaited<R>(name: string, predicate: () => R | undefined): Promise<R> {
  for (;;) {
    const found = await watch.waitFor(predicate, { deadline: clock.now() + 2_000 }).catch(() => undefined);
    if (found !== undefined) return found;
    await patch(name, { metadata: { annotations: { 'bench/nonce': randomUUID() } } });
  }
}

async function operate(name: string, resources?: readonly Resource[]): Promise<void> {
  const id = randomUUID();
  for (let done = false; !done; ) {
    const { metadata, spec, status } = await watch.waitFor(() => {
      const app = seen(name);
      return app?.operation === undefined ? app : undefined;
    });
    const { resourceVersion } = metadata;
    const { syncOptions } = spec.syncPolicy ?? {};
    const sync = { ...(syncOptions && { syncOptions }), ...(resources ? { resources } : { prune: true }) };
    const operation = { initiatedBy: { username: 'floor' }, info: [{ name: 'id', value: id }], sync };
    done = await patch(name, {
      metadata: { resourceVersion },
      operation,
      ...(status && { status: { operationState: null } }),
    })
      .then(() => true)
      .catch((error: unknown) => {
        if (!(error instanceof ApiError && error.status === 409)) throw error;
        return watch.waitFor(() => (seen(name)?.metadata.resourceVersion !== resourceVersion ? false : undefined));
      });
  }
  const ours = (): string | undefined => {
    const state = seen(name)?.status?.operationState;
    return state?.operation.info?.[0]?.value === id ? state.phase : undefined;
  };
  await awaited(name, ours);
  const isOver = (phase: string): boolean => ['Succeeded', 'Failed', 'Error'].includes(phase);
  const phase = await watch.waitFor(() => [ours() ?? ''].find(isOver));
  if (phase !== 'Succeeded') await clock.sleep(1_000).then(() => operate(name, resources));
}

/** A comparison that began after now; then Healthy, sooner or later. */
async function healthy(name: string): Promise<void> {
  for (;;) {
    const { metadata } = await patch(name, {
      metadata: { annotations: { [refresh]: 'normal', 'bench/nonce': randomUUID() } },
    });
    await awaited(name, () => {
      const now = seen(name)?.metadata;
      const isOurs = Number(now?.resourceVersion) >= Number(metadata.resourceVersion);
      return isOurs && now?.annotations?.[refresh] === undefined ? true : undefined;
    });
    const isGood = (): true | undefined => {
      const { sync, health } = seen(name)?.status ?? {};
      return sync?.status === 'Synced' && health?.status === 'Healthy' ? true : undefined;
    };
    const good = await watch.waitFor(isGood, { deadline: clock.now() + 2_000 }).catch(() => undefined);
    if (good) return;
  }
}

const listed = (name: string, isWanted: (one: Resource) => boolean): Promise<readonly Resource[]> =>
  watch.waitFor(() => {
    const wanted = seen(name)?.status?.resources?.filter(isWanted) ?? [];
    return wanted.length > 0 ? wanted : undefined;
  });

/** One operation at a time per parent: children that become ready together go in one. */
const batches = new Map<string, { readonly names: Set<string>; readonly done: Promise<void> }>();
const last = new Map<string, Promise<void>>();
async function create(parent: string, child: string): Promise<void> {
  if (seen(child) !== undefined) return;
  let batch = batches.get(parent);
  if (batch === undefined) {
    const names = new Set<string>();
    const done = (last.get(parent) ?? Promise.resolve()).then(async () => {
      await clock.sleep(1);
      batches.delete(parent);
      await operate(parent, await listed(parent, ({ kind, name }) => kind === 'Application' && names.has(name)));
    });
    batch = { names, done };
    batches.set(parent, batch);
    last.set(parent, done);
  }
  batch.names.add(child);
  await batch.done;
  await watch.waitFor(() => seen(child));
}

async function hold(project: string): Promise<void> {
  const window = { kind: 'deny', schedule: '* * * * *', duration: '24h', applications: ['*'], manualSync: true };
  await client.mergePatch(`${argocd}/appprojects/${project}`, { spec: { syncWindows: [window] } });
}

async function parents(root: string): Promise<void> {
  await hold('default');
  await operate(root, await listed(root, ({ kind }) => kind === 'AppProject'));
  await Promise.all([...platform.stacks.keys()].map(hold));
  await operate(root, await listed(root, ({ kind }) => kind === 'Application'));
}

await watch.ready();
if (platform.root !== undefined) await parents(platform.root);
const { graph } = nodeGraph(platform);
const turns = new Map<string, Promise<void>>();
function turn(node: string): Promise<void> {
  const known = turns.get(node) ?? bring(node);
  turns.set(node, known);
  return known;
}
async function bring(node: string): Promise<void> {
  await Promise.all([...(graph.get(node) ?? [])].map(turn));
  const app = platform.apps.get(appOf(node));
  if (app === undefined) throw new Error(`there is no app ${node}`);
  const parent = platform.stacks.get(app.stack)?.application;
  if (parent !== undefined) await create(parent, app.application);
  const part = app.parts.get(partOf(node) ?? '');
  if (part !== undefined)
    return operate(app.application, await listed(app.application, ({ kind }) => part.kinds.includes(kind)));
  await operate(app.application);
  await healthy(app.application);
}
await Promise.all([...graph.keys()].map(turn));
ending.abort();
transport.close();
