import type { KubeObject } from '../../store/objects.ts';
import type { HealthStatus } from './application.ts';
import type { ArgoContext } from './argo-context.ts';
import { part } from './object-parts.ts';

/** The verdict of a health check that somebody has put into argocd-cm; undefined where there is none for the kind. */
export type InstalledCheck = (groupKind: string, object: KubeObject) => HealthStatus | undefined;

const prefix = 'resource.customizations.health.';

/** Checks from argocd-cm come before the built-in ones. Without something that runs Lua only the one for nested Applications is understood. */
export function installedCheck(context: ArgoContext): InstalledCheck {
  const scripts = scriptsOf(context);
  return (groupKind, object) => {
    const script = scripts[`${prefix}${groupKind.replace('/', '_')}`];
    if (script === undefined) return undefined;
    if (context.runHealthScript !== undefined) return judged(context.runHealthScript(script, object));
    return groupKind === nested ? passedOn(object) : undefined;
  };
}

/** Changes when somebody changes a check. */
export function installedChecksId(context: ArgoContext): string {
  return JSON.stringify(Object.entries(scriptsOf(context)).filter(([key]) => key.startsWith(prefix)));
}

const nested = 'argoproj.io/Application';
const known: ReadonlySet<string> = new Set(['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded', 'Unknown']);

function judged(status: string | undefined): HealthStatus {
  return status !== undefined && known.has(status) ? (status as HealthStatus) : 'Unknown';
}

/** What the script in Argo CD's documentation does: the child's health is the verdict. */
function passedOn(object: KubeObject): HealthStatus {
  const health = part(part(object['status'])['health'])['status'];
  return typeof health === 'string' ? (health as HealthStatus) : 'Progressing';
}

function scriptsOf(context: ArgoContext): Readonly<Record<string, string>> {
  const type = context.typeOf('v1', 'ConfigMap');
  const settings = type === undefined ? undefined : context.store.get(type, context.namespace, 'argocd-cm');
  return (settings?.['data'] ?? {}) as Readonly<Record<string, string>>;
}
