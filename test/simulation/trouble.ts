import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { withMeta } from '../../src/sandbox/store/store.ts';

/** How long a broken workload stays broken. */
export const brokenMs = 150_000;

/** Breaks the workload of an app that is well, and mends it later. Returns whether there was anything to break. */
export function breakWorkload(sandbox: Sandbox, application: string): boolean {
  if (!sandbox.truth(application).healthy) return false;
  for (const plural of ['deployments', 'statefulsets']) {
    const type = sandbox.types.byPlural('apps', plural);
    const found =
      type === undefined
        ? undefined
        : sandbox.store.list(type).find((object) => tracks(object.metadata.annotations, application));
    if (type === undefined || found === undefined) continue;
    const { name, namespace } = found.metadata;
    const {
      readyReplicas: _ready,
      availableReplicas: _available,
      ...rest
    } = (found['status'] ?? {}) as Record<string, unknown>;
    sandbox.store.change(type, namespace, name, 'kubelet', (object) => ({
      ...object,
      status: { ...rest, unavailableReplicas: 1 },
    }));
    sandbox.time.after(brokenMs, () => {
      sandbox.store.change(type, namespace, name, 'kubelet', (object) =>
        object.metadata.generation === found.metadata.generation ? { ...object, status: found['status'] } : object,
      );
    });
    return true;
  }
  return false;
}

/** A change of health settings drops Argo CD's cache: until an app is compared again, its live changes go unnoticed. */
export function blindArgoCd(sandbox: Sandbox, argocdNamespace: string): void {
  const type = sandbox.types.byPlural('', 'configmaps');
  if (type === undefined) return;
  sandbox.store.change(type, argocdNamespace, 'argocd-cm', 'administrator', (object) =>
    withMeta(
      {
        ...object,
        data: {
          ...(object['data'] as object),
          'resource.customizations.health.example.com_Nothing': `-- ${sandbox.time.now()}`,
        },
      },
      {},
    ),
  );
}

function tracks(annotations: Readonly<Record<string, string>> | undefined, application: string): boolean {
  return annotations?.['argocd.argoproj.io/tracking-id']?.startsWith(`${application}:`) === true;
}
