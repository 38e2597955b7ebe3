import type { ObservedApplication } from '../../core/plan/observed.ts';
import { OperatorError } from '../../engine/operator-error.ts';
import type { ArgoCd, Clock, HeldProject, SyncAnswer } from '../../engine/ports.ts';
import { asOperatorError } from '../kubernetes/as-operator-error.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { ApiError } from '../kubernetes/errors.ts';
import { createReflector, type Reflector } from '../kubernetes/reflector.ts';
import { createChangeBell } from './change-bell.ts';
import { heldIn, windowsOf, withHold } from './hold-window.ts';
import { operationPatch, type RawApplication } from './operation-patch.ts';
import { nonceAnnotation, parseApplication, refreshAnnotation } from './parse-application.ts';

export interface ArgoCdOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly platform: string;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  readonly onTrouble?: (sentence: string) => void;
  readonly random?: () => number;
}

export const cascadeFinalizer = 'resources-finalizer.argocd.argoproj.io';

/** How long a watch may lag behind a write of ours. */
const overdueMs = 1_500;

/** Argo CD through the Kubernetes API and nothing else. One watch on Applications answers every read. */
export function createArgoCd(options: ArgoCdOptions): ArgoCd {
  const { client, clock, namespace, platform } = options;
  const applications = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications`;
  const appProjects = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/appprojects`;
  const bell = createChangeBell(clock);
  const written = new Map<string, { readonly object: RawApplication; readonly at: number }>();
  let reflector: Reflector<RawApplication> | undefined;

  function watch(): Reflector<RawApplication> {
    if (reflector !== undefined) return reflector;
    reflector = createReflector<RawApplication>(
      client,
      {
        path: applications,
        clock,
        // API servers send a bookmark about once a minute.
        idleTimeoutMs: 100_000,
        ...(options.onTrouble === undefined ? {} : { onTrouble: options.onTrouble }),
        ...(options.random === undefined ? {} : { random: options.random }),
      },
      options.signal,
    );
    reflector.subscribe((change) => {
      if (change.type === 'resync') bell.ringAll();
      else bell.ring(nameOf(change.key));
    });
    return reflector;
  }

  /** Our own writes are seen at once: what the API server answered stands until the watch has caught up with it. */
  function newest(name: string): RawApplication | undefined {
    const watched = watch().get(`${namespace}/${name}`);
    const own = written.get(name)?.object;
    if (own === undefined) return watched;
    if (watched !== undefined && !newer(own, watched)) {
      written.delete(name);
      return watched;
    }
    return watched === undefined ? undefined : own;
  }

  /** Our own write is a probe of the watch: what it has not shown for so long it will not show any more. */
  function doubtASilentWatch(name: string): void {
    const own = written.get(name);
    if (own === undefined || clock.now() - own.at < overdueMs) return;
    const watched = watch().get(`${namespace}/${name}`);
    if (watched !== undefined && newer(own.object, watched)) watch().doubt();
  }

  const application = (name: string): ObservedApplication | undefined => {
    const object = newest(name);
    return object === undefined ? undefined : parseApplication(object);
  };

  async function patch(name: string, body: object, signal: AbortSignal): Promise<'done' | 'conflict' | 'missing'> {
    doubtASilentWatch(name);
    try {
      // All our patches are compare-and-swap, or set annotations to the same value again.
      const answer = await client.mergePatch<RawApplication>(`${applications}/${name}`, body, signal, {
        repeatable: true,
      });
      written.set(name, { object: answer, at: clock.now() });
      return 'done';
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return 'missing';
      if (error instanceof ApiError && error.status === 409) return 'conflict';
      throw error;
    }
  }

  async function annotate(
    name: string,
    annotations: Record<string, string>,
    signal: AbortSignal,
  ): Promise<'asked' | 'missing'> {
    return asOperatorError(`ask Argo CD to look at ${name}`, async () => {
      const answer = await patch(name, { metadata: { annotations } }, signal);
      return answer === 'missing' ? 'missing' : 'asked';
    });
  }

  async function projects(signal: AbortSignal): Promise<readonly HeldProject[]> {
    const { items } = await asOperatorError('list AppProjects', () =>
      client.list<NamedObject>(appProjects, {}, signal),
    );
    return items.map((item) => ({ name: item.metadata.name, held: heldIn(windowsOf(item), platform) }));
  }

  return {
    application,
    projects,
    changed: bell.changed,
    async observe(signal) {
      if (reflector === undefined) await asOperatorError('look for Argo CD', () => mustBeInstalled(client, signal));
      await asOperatorError(`list Applications in namespace ${namespace}`, () => watch().ready(signal));
      const seen = watch()
        .all()
        .map((object) => application(object.metadata.name));
      const found = await projects(signal);
      return {
        applications: new Map(seen.filter((app) => app !== undefined).map((app) => [app.name, app])),
        projects: new Map(found.map((project) => [project.name, project])),
      };
    },
    sync: (name, request, signal) =>
      asOperatorError(`start a sync of ${name}`, async (): Promise<SyncAnswer> => {
        const object = newest(name);
        if (object === undefined) return 'missing';
        if (object['operation'] !== undefined && object['operation'] !== null) return 'busy';
        const answer = await patch(name, operationPatch(object, request), signal);
        return answer === 'done' ? 'accepted' : answer === 'missing' ? 'missing' : 'changed';
      }),
    refresh: (name, nonce, signal) =>
      annotate(name, { [refreshAnnotation]: 'normal', [nonceAnnotation]: nonce }, signal),
    async nudge(name, nonce, signal) {
      await annotate(name, { [nonceAnnotation]: nonce }, signal);
    },
    withdraw: (name, operationId, signal) =>
      asOperatorError(`withdraw the sync of ${name}`, async () => {
        const seen = application(name);
        if (seen?.operation?.step !== operationId) return;
        await patch(name, { metadata: { resourceVersion: seen.resourceVersion }, operation: null }, signal);
      }),
    hold: (project, names, signal) =>
      asOperatorError(`hold Applications in AppProject ${project}`, () =>
        setHold(client, { path: `${appProjects}/${project}`, platform, names }, signal),
      ),
    cascade: (name, signal) =>
      asOperatorError(`add the cascade finalizer to ${name}`, async () => {
        for (;;) {
          const seen = application(name);
          if (
            seen === undefined ||
            seen.deleting ||
            seen.finalizers.some((finalizer) => finalizer.startsWith(cascadeFinalizer))
          )
            return;
          const body = {
            metadata: { resourceVersion: seen.resourceVersion, finalizers: [...seen.finalizers, cascadeFinalizer] },
          };
          if ((await patch(name, body, signal)) !== 'conflict') return;
          await bell.changed(name, clock.now() + 1_000, signal);
        }
      }),
    delete: (name, signal) =>
      asOperatorError(`delete Application ${name}`, async () => {
        const uid = newest(name)?.metadata.uid;
        // By uid, so that a repeated request can never meet a successor of the same name.
        await client
          .delete(
            `${applications}/${name}`,
            { propagationPolicy: 'Background', ...(uid === undefined ? {} : { preconditions: { uid } }) },
            signal,
          )
          .catch(unlessReplaced);
      }),
    deleteProject: (name, signal) =>
      asOperatorError(`delete AppProject ${name}`, async () => {
        await client.delete(`${appProjects}/${name}`, {}, signal);
      }),
  };
}

/** A watch on a kind that is not served would wait for it for ever; a person wants to hear it at once. */
async function mustBeInstalled(client: KubeClient, signal: AbortSignal): Promise<void> {
  const served = await client.get<{ resources?: { name: string }[] }>('/apis/argoproj.io/v1alpha1', signal);
  if (served?.resources?.some(({ name }) => name === 'applications') === true) return;
  throw new OperatorError('Argo CD is not installed in this cluster: it serves no Applications', {
    hint: 'Install it with `tiphys bootstrap`, or point --kubeconfig and --context at the right cluster.',
  });
}

interface NamedObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

async function setHold(
  client: KubeClient,
  order: { readonly path: string; readonly platform: string; readonly names: readonly string[] },
  signal: AbortSignal,
): Promise<'changed' | 'unchanged' | 'missing'> {
  for (;;) {
    const project = await client.get<NamedObject>(order.path, signal);
    if (project === undefined) return 'missing';
    const windows = windowsOf(project);
    if (JSON.stringify([...heldIn(windows, order.platform)].sort()) === JSON.stringify([...order.names].sort()))
      return 'unchanged';
    const body = {
      metadata: { resourceVersion: project.metadata.resourceVersion },
      spec: { syncWindows: withHold(windows, order.platform, order.names) },
    };
    try {
      await client.mergePatch(order.path, body, signal);
      return 'changed';
    } catch (error) {
      // Somebody else wrote in between: read again, keep theirs, add ours.
      if (!(error instanceof ApiError && error.status === 409)) throw error;
    }
  }
}

/** The object we meant is gone; one of the same name has taken its place. */
function unlessReplaced(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 409)) throw error;
}

function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}

/** resourceVersions of one object are numbers that rise. */
function newer(a: NamedObject, b: NamedObject): boolean {
  return Number(a.metadata.resourceVersion) > Number(b.metadata.resourceVersion);
}
