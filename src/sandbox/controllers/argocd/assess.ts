import type { KubeObject } from '../../store/objects.ts';
import type { AppState } from './app-state.ts';
import type { Application } from './application.ts';
import type { ArgoContext } from './argo-context.ts';
import { type ComparisonSettings, compare, verdictOf } from './comparison.ts';
import { type DesiredState, loadDesired, resolveRevisions } from './desired-state.ts';
import { findObject } from './find-object.ts';
import { installedCheck, installedChecksId } from './installed-checks.ts';
import type { LiveViews } from './live-views.ts';
import { isKindPermitted, type Project, projectOf, projectRefusal, sourceNamespaceRefusal } from './projects.ts';
import type { Assessment } from './refreshed-status.ts';

/** Looks at project, Git and the cached cluster, and says what the status should be. */
export function assess(context: ArgoContext, views: LiveViews, state: AppState, application: Application): Assessment {
  const project = projectOf(context, application);
  if (project === undefined) {
    const message = `Application referencing project ${application.spec.project} which does not exist`;
    return { ...invalid(message), early: true };
  }
  const namespaceRefusal = sourceNamespaceRefusal(context, application, project);
  if (namespaceRefusal !== undefined) return { ...invalid(namespaceRefusal, 'UnknownError'), early: true };
  const refusal = projectRefusal(application, project);
  if (refusal !== undefined) return invalid(refusal);
  const loaded = load(context, state, application);
  if ('error' in loaded) return comparisonError(loaded.error, loaded.revision);
  return compareLive(context, views, { state, desired: loaded, project });
}

function invalid(message: string, type: 'InvalidSpecError' | 'UnknownError' = 'InvalidSpecError'): Assessment {
  return {
    sync: 'Unknown',
    health: 'Unknown',
    conditions: [{ type, message }],
    isInvalid: true,
  };
}

/** The trap: Git cannot be read, and the health says Healthy, because nothing that is unhealthy was found. */
function comparisonError(message: string, revision: string): Assessment {
  return {
    sync: 'Unknown',
    health: 'Healthy',
    revisions: [revision],
    conditions: [{ type: 'ComparisonError', message }],
  };
}

function load(
  context: ArgoContext,
  state: AppState,
  application: Application,
): DesiredState | { error: string; revision: string } {
  const id = `${resolveRevisions(context, application)} ${application.spec.destination.namespace}`;
  if (state.loaded?.id === id) return state.loaded.desired;
  const loaded = loadDesired(context, application);
  if ('error' in loaded) return loaded;
  state.loaded = { id, desired: loaded.desired };
  return loaded.desired;
}

function compareLive(
  context: ArgoContext,
  views: LiveViews,
  { state, desired, project }: { state: AppState; desired: DesiredState; project: Project },
): Assessment {
  const find = (key: string): KubeObject | undefined => {
    const wanted = desired.objects.get(key);
    return wanted === undefined ? undefined : findObject(context, wanted.object);
  };
  views.want(state.instance, desired.objects.keys(), find);
  state.comparison = compare(state.comparison, desired, views.of(state.instance), settingsOf(context, project));
  return { ...verdictOf(state.comparison), revisions: desired.revisions, conditions: [] };
}

function settingsOf(context: ArgoContext, project: Project): ComparisonSettings {
  return {
    installedCheck: installedCheck(context),
    isPermitted: (object) => isKindPermitted(context, project, object),
    id: `${installedChecksId(context)} ${JSON.stringify(project.spec.clusterResourceWhitelist)}`,
  };
}
