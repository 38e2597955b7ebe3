import { splitApplication } from '../../core/platform/application-name.ts';
import type { App, Environment, Platform, Stack } from '../../core/platform/platform.ts';
import type { KubeObject } from '../store/objects.ts';
import type { Behaviour } from './behaviours.ts';

/** Where in Git the content of an Application stands. */
export const paths = {
  root: 'root',
  stack: (stack: string): string => `stacks/${stack}`,
  app: (app: string): string => `apps/${app}`,
};

/** The app-of-apps at the top. */
export function rootApplication(platform: Platform, name: string): KubeObject {
  const { argocdNamespace } = platform.environment;
  return application(platform.environment, { name, project: 'default', path: paths.root, namespace: argocdNamespace });
}

export function stackApplication(platform: Platform, stack: Stack, name: string): KubeObject {
  const { environment } = platform;
  const path = paths.stack(stack.name);
  return application(environment, { name, project: 'default', path, namespace: environment.argocdNamespace });
}

export function appApplication(platform: Platform, app: App, behaviour: Behaviour): KubeObject {
  return application(platform.environment, {
    name: app.application,
    project: projectNameOf(platform, app),
    path: paths.app(app.name),
    namespace: app.name,
    automated: behaviour.automated,
  });
}

/** The stack's AppProject where a root brings it; the default project otherwise. */
function projectNameOf(platform: Platform, app: App): string {
  return platform.root === undefined ? 'default' : app.stack;
}

export function appProject(
  environment: Pick<Environment, 'argocdNamespace'>,
  name: string,
  extra: object = {},
): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: environment.argocdNamespace },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ namespace: '*', server: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      ...extra,
    },
  };
}

function application(
  environment: Environment,
  {
    name,
    project,
    path,
    namespace,
    automated = true,
  }: { name: string; project: string; path: string; namespace: string; automated?: boolean },
): KubeObject {
  const at = splitApplication(name);
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: at.name, namespace: at.namespace ?? environment.argocdNamespace },
    spec: {
      project,
      source: { repoURL: environment.gitRepository, path, targetRevision: environment.gitRevision },
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: {
        ...(automated ? { automated: { prune: true, selfHeal: true } } : {}),
        syncOptions: ['CreateNamespace=true'],
      },
    },
  };
}
