import type { Application } from './application.ts';
import { matchesGlob } from './glob.ts';
import type { Project, SyncWindow } from './projects.ts';

/** May this Application be synced now, by hand or by Argo CD itself, as far as the project's sync windows go? */
export function windowsAllow(project: Project, application: Application, by: 'hand' | 'argocd'): boolean {
  const windows = (project.spec.syncWindows ?? []).filter((window) => appliesTo(window, application));
  const denying = windows.filter((window) => window.kind === 'deny' && isOpen(window));
  if (denying.length > 0) return by === 'hand' && denying.every((window) => window.manualSync === true);
  const allowing = windows.filter((window) => window.kind === 'allow');
  if (allowing.length === 0 || allowing.some(isOpen)) return true;
  return by === 'hand' && allowing.every((window) => window.manualSync === true);
}

function appliesTo(window: SyncWindow, application: Application): boolean {
  const { server = '', namespace = '' } = application.spec.destination;
  return (
    some(window.applications, application.metadata.name) ||
    some(window.namespaces, namespace) ||
    some(window.clusters, server)
  );
}

function some(patterns: readonly string[] | undefined, text: string): boolean {
  return (patterns ?? []).some((pattern) => matchesGlob(pattern, text));
}

/** Only the schedule that is always open is understood here; a window with another one never is. */
function isOpen(window: SyncWindow): boolean {
  return window.schedule === '* * * * *' && window.duration !== undefined;
}
