import type { Platform } from '../../src/core/platform/platform.ts';
import { readPlatform } from '../../src/core/platform/read-platform.ts';
import type { AuditEntry } from './read-audit.ts';

/** `base` with a part that `other` needs, `data` on `base`, `web` on `data`. */
export function smallPlatform(): Platform {
  const dag = `apiVersion: tiphys.dev/v1
kind: Platform
name: small
stacks:
  s:
    apps:
      base: { parts: { crds: { kinds: [CustomResourceDefinition] } }, needs: [other] }
      other: { needs: [base#crds] }
      data: { needs: [base] }
      web: { needs: [data, { app: other, edge: soft }] }
`;
  const environment =
    'name: test\ndomain: example.com\ngitRepository: https://git.example.com/a.git\ngitRevision: main\n';
  const { platform } = readPlatform({
    dag: { file: 'dag.yaml', text: dag },
    environment: { file: 'environment.yaml', text: environment },
  });
  if (platform === undefined) throw new Error('the fixture is no platform');
  return platform;
}

/** One entry; the revision is also its time, in seconds. */
export function entry(revision: number, given: Partial<AuditEntry>): AuditEntry {
  return {
    verb: 'create',
    user: 'system:argocd',
    group: '',
    resource: 'configmaps',
    subresource: undefined,
    namespace: 'x',
    name: 'x',
    code: 201,
    receivedAt: revision * 1000,
    answeredAt: revision * 1000 + 5,
    isTrial: false,
    object: undefined,
    ...given,
  };
}

/** Argo CD creates a ConfigMap named like its app. */
export function created(revision: number, app: string, given: Partial<AuditEntry> = {}): AuditEntry {
  const annotations = { 'argocd.argoproj.io/tracking-id': `${app}:/ConfigMap:${app}/${app}` };
  const metadata = { name: app, resourceVersion: String(revision), annotations };
  const object = { kind: 'ConfigMap', metadata };
  return entry(revision, { namespace: app, name: app, object, ...given });
}

/** Argo CD creates an object that does not say whose it is. */
export function createdUnmarked(revision: number, kind: string, name: string): AuditEntry {
  const metadata = { name, resourceVersion: String(revision) };
  const resource = `${kind.toLowerCase()}s`;
  const object = { kind, metadata };
  return entry(revision, { namespace: undefined, resource, name, object });
}

export function recorded(
  revision: number,
  app: string,
  [sync, health]: readonly [string, string],
  more: object = {},
): AuditEntry {
  return entry(revision, {
    verb: 'patch',
    code: 200,
    group: 'argoproj.io',
    resource: 'applications',
    namespace: 'argocd',
    name: app,
    object: {
      kind: 'Application',
      metadata: { name: app, resourceVersion: String(revision) },
      spec: { destination: { namespace: app } },
      status: { sync: { status: sync }, health: { status: health }, ...more },
    },
  });
}

export function deleted(revision: number, app: string): AuditEntry {
  return entry(revision, { verb: 'delete', code: 200, namespace: app, name: app });
}
