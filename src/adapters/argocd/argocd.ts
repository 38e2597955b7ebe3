import type { OperationMark } from '../../core/plan/observed.ts';
import { splitApplication } from '../../core/platform/application-name.ts';
import { NotInstalledError } from '../../engine/not-installed-error.ts';
import type { ArgoCd, Clock, SyncAnswer, SyncRequest } from '../../engine/ports.ts';
import { asOperatorError } from '../kubernetes/as-operator-error.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { ApiError } from '../kubernetes/errors.ts';
import { createAppProjects } from './app-projects.ts';
import { type ApplicationView, createApplicationView } from './application-view.ts';
import { type ApplicationViewOptions, applicationPath } from './application-watches.ts';
import { dissolveSet } from './dissolve-set.ts';
import { operationPatch } from './operation-patch.ts';
import { nonceAnnotation, refreshAnnotation } from './parse-application.ts';

export interface ArgoCdOptions extends Omit<ApplicationViewOptions, 'otherNamespaces'> {
  /** The platform's Applications that are not in Argo CD's namespace. */
  readonly elsewhere?: readonly string[];
  readonly platform: string;
  /** Asks the first question, and gives up sooner. */
  readonly firstContact?: KubeClient;
}

/** With this on an Application, deleting it deletes what it manages. */
const cascadeFinalizer = 'resources-finalizer.argocd.argoproj.io';

/** Argo CD through the Kubernetes API and nothing else. One watch on Applications answers every read. */
export function createArgoCd(options: ArgoCdOptions): ArgoCd {
  const { client, namespace, platform, elsewhere = [] } = options;
  const otherNamespaces = elsewhere.map((application) => splitApplication(application).namespace as string);
  const view = createApplicationView({ ...options, otherNamespaces });
  const projects = createAppProjects({ ...options, platform, elsewhere });
  const listProjects: ArgoCd['projects'] = (signal) => asOperatorError('list AppProjects', () => projects.list(signal));
  return {
    application: view.application,
    line: view.line,
    changed: (name, until, signal) => asOperatorError(`watch Applications`, () => view.changed(name, until, signal)),
    projects: listProjects,
    projectsUntil: (isSo, signal) => asOperatorError('watch AppProjects', () => projects.until(isSo, signal)),
    async observe(signal) {
      if (!view.isWatching())
        await asOperatorError('look for Argo CD', () => mustBeInstalled(options.firstContact ?? client, signal));
      await asOperatorError(`list Applications in namespace ${namespace}`, () => view.ready(signal));
      const seen = view.names().map(view.application);
      const found = await listProjects(signal);
      return {
        applications: new Map(seen.filter((app) => app !== undefined).map((app) => [app.name, app])),
        projects: new Map(found.map((project) => [project.name, project])),
      };
    },
    ...operations(view, options.clock),
    hold: (project, names, signal) =>
      asOperatorError(`hold Applications in AppProject ${project}`, () => projects.setHold(project, names, signal)),
    ...deletions(view, options),
    dissolve: (set, applications, signal) =>
      asOperatorError(`delete ApplicationSet ${set}`, () => dissolveSet(view, options, { set, applications }, signal)),
  };
}

type Operations = Pick<ArgoCd, 'sync' | 'refresh' | 'nudge' | 'withdraw' | 'withdrawAutomated' | 'terminate'>;

function operations(view: ApplicationView, clock: Clock): Operations {
  async function annotate(name: string, annotations: Record<string, string>, signal: AbortSignal) {
    for (;;) {
      const answer = await asOperatorError(`ask Argo CD to look at ${name}`, () =>
        view.patch(name, { metadata: { annotations } }, signal),
      );
      if (answer !== 'conflict') return answer === 'missing' ? ('missing' as const) : ('asked' as const);
      // So many write to it that the API server has given up merging.
      await view.changed(name, clock.now() + 100, signal);
    }
  }

  async function start(name: string, request: SyncRequest, signal: AbortSignal): Promise<SyncAnswer> {
    const object = view.raw(name);
    if (object === undefined) return 'missing';
    if (object['operation'] !== undefined && object['operation'] !== null) return 'busy';
    const answer = await view.patch(name, operationPatch(object, request), signal);
    return answer === 'done' ? 'accepted' : answer === 'missing' ? 'missing' : 'changed';
  }

  const change = operationChanger(view);

  return {
    sync: (name, request, signal) => asOperatorError(`start a sync of ${name}`, () => start(name, request, signal)),
    refresh: (name, nonce, signal) =>
      annotate(name, { [refreshAnnotation]: 'normal', [nonceAnnotation]: nonce }, signal),
    async nudge(name, nonce, signal) {
      await annotate(name, { [nonceAnnotation]: nonce }, signal);
    },
    withdraw: (name, id, signal) => change(name, withdrawal, ({ step }) => step === id, signal),
    withdrawAutomated: (name, signal) => change(name, withdrawal, ({ automated }) => automated, signal),
    terminate: (name, id, signal) => change(name, termination, ({ step }) => step === id, signal),
  };
}

const withdrawal = { what: 'withdraw', body: { operation: null } };
/** What `argocd app terminate-op` writes. */
const termination = { what: 'end', body: { status: { operationState: { phase: 'Terminating' } } } };

type ChangeOperation = (
  name: string,
  change: typeof withdrawal | typeof termination,
  isMeant: (operation: OperationMark) => boolean,
  signal: AbortSignal,
) => Promise<void>;

/** By compare-and-swap: what came in between stays. */
function operationChanger(view: ApplicationView): ChangeOperation {
  return (name, { what, body }, isMeant, signal) =>
    asOperatorError(`${what} the sync of ${name}`, async () => {
      const seen = view.application(name);
      if (seen?.operation === undefined || !isMeant(seen.operation)) return;
      await view.patch(name, { metadata: { resourceVersion: seen.resourceVersion }, ...body }, signal);
    });
}

function deletions(
  view: ApplicationView,
  { client, clock, namespace }: ArgoCdOptions,
): Pick<ArgoCd, 'cascade' | 'delete'> {
  async function addFinalizer(name: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const seen = view.application(name);
      if (seen === undefined || seen.deleting || seen.finalizers.some(cascades)) return;
      const { resourceVersion, finalizers } = seen;
      const body = { metadata: { resourceVersion, finalizers: [...finalizers, cascadeFinalizer] } };
      if ((await view.patch(name, body, signal)) !== 'conflict') return;
      await view.changed(name, clock.now() + 1_000, signal);
    }
  }

  async function remove(name: string, signal: AbortSignal): Promise<void> {
    const path = applicationPath(namespace, name);
    const uid = view.raw(name)?.metadata.uid;
    // By uid, so that a repeated request can never meet a successor of the same name.
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    await client.delete(path, { propagationPolicy: 'Background', ...preconditions }, signal).catch(unlessReplaced);
  }

  return {
    cascade: (name, signal) =>
      asOperatorError(`add the cascade finalizer to ${name}`, () => addFinalizer(name, signal)),
    delete: (name, signal) => asOperatorError(`delete Application ${name}`, () => remove(name, signal)),
  };
}

function cascades(finalizer: string): boolean {
  return finalizer.startsWith(cascadeFinalizer);
}

/** The object we meant is gone; one of the same name has taken its place. */
function unlessReplaced(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 409)) throw error;
}

/** A watch on a kind that is not served would wait for it for ever; a person wants to hear it at once. */
async function mustBeInstalled(client: KubeClient, signal: AbortSignal): Promise<void> {
  const served = await client.get<{ resources?: { name: string }[] }>('/apis/argoproj.io/v1alpha1', signal);
  if (served?.resources?.some(({ name }) => name === 'applications') === true) return;
  throw new NotInstalledError();
}
