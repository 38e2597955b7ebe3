import { applicationNamespaces } from '../../core/platform/application-name.ts';
import type { App, Platform } from '../../core/platform/platform.ts';
import type { KubeObject } from '../store/objects.ts';
import { appApplication, appProject, paths, rootApplication, stackApplication } from './applications.ts';
import { type Behaviour, behaviourOf, faultsOf } from './behaviours.ts';
import { findProviders, type Providers } from './definitions.ts';
import type { Fault, FaultKind } from './fault.ts';
import { createGit, type Git, type PathContent } from './git.ts';
import { manifestsOf } from './manifests.ts';
import { emptyScenario, type Scenario } from './scenario.ts';

/** Everything outside Argo CD that decides what happens: what Git holds, how workloads behave, what is broken. */
export interface World {
  readonly platform: Platform | undefined;
  readonly git: Git;
  readonly providers: Providers;
  /** The app behind an Application's name; undefined for parents and strangers. */
  appOf(application: string): App | undefined;
  behaviour(app: App): Behaviour;
  fault(app: string, kind: FaultKind): Fault | undefined;
  /** Takes away what is broken about the app; false when nothing was. */
  mend(app: string): boolean;
  /** Counts an attempt to sync; true when this one has to fail. */
  failsAttempt(application: string): boolean;
  /** The Applications at the top that somebody has to create by hand: the root, or what has no parent. */
  readonly topApplications: readonly KubeObject[];
}

export interface WorldOptions {
  readonly platform?: Platform;
  readonly scenario?: Scenario;
  readonly faults?: readonly Fault[];
  readonly seed?: number;
  /** Replaces what Git holds, for tests that need other content than a platform's. */
  readonly content?: (path: string) => PathContent | undefined;
}

export function createWorld(options: WorldOptions): World {
  const { platform, scenario = emptyScenario, seed = 1 } = options;
  let faults = faultsOf(scenario, options.faults ?? []);
  const attempts = new Map<string, number>();
  const behaviours = new Map<App, Behaviour>();
  const providers = platform === undefined ? new Map() : findProviders(platform);
  let byApplication: Map<string, App> | undefined;

  function behaviour(app: App): Behaviour {
    const known = behaviours.get(app) ?? behaviourOf(app, scenario, seed);
    behaviours.set(app, known);
    return known;
  }

  function appOf(application: string): App | undefined {
    byApplication ??= new Map([...(platform?.apps.values() ?? [])].map((app) => [bareName(app.application), app]));
    return byApplication.get(bareName(application));
  }

  const fault: World['fault'] = (app, kind) => faults.find((each) => each.app === app && each.kind === kind);

  function contentOf(path: string): PathContent | undefined {
    const own = options.content?.(path);
    if (own !== undefined || platform === undefined) return own;
    return platformContent(
      { platform, providers, behaviour, isEmpty: (app) => fault(app, 'empty') !== undefined },
      path,
    );
  }

  const git = createGit({
    name: platform?.name ?? 'git',
    branches: ['main', ...(platform === undefined ? [] : [platform.environment.gitRevision])],
    first: contentOf,
  });

  return {
    platform,
    git,
    providers,
    appOf,
    behaviour,
    fault,
    topApplications: platform === undefined ? [] : topApplications(platform, behaviour),
    mend(app) {
      const broken = faults.filter((each) => each.app === app);
      faults = faults.filter((each) => each.app !== app);
      const content = broken.some(({ kind }) => kind === 'empty') ? contentOf(paths.app(app)) : undefined;
      if (content !== undefined) git.commit(new Map([[paths.app(app), content]]));
      return broken.length > 0;
    },
    failsAttempt(application) {
      const app = appOf(application)?.name ?? application;
      const found = fault(app, 'sync-fails');
      if (found === undefined) return false;
      const count = (attempts.get(app) ?? 0) + 1;
      attempts.set(app, count);
      return found.times === undefined || count <= found.times;
    },
  };
}

interface ContentWorld {
  readonly platform: Platform;
  readonly providers: Providers;
  readonly behaviour: (app: App) => Behaviour;
  readonly isEmpty: (app: string) => boolean;
}

function platformContent(world: ContentWorld, path: string): PathContent | undefined {
  const { platform, behaviour } = world;
  const [folder, name = ''] = path.split('/');
  if (path === paths.root) return rootContent(world);
  if (folder === 'stacks') {
    const stack = platform.stacks.get(name);
    return stack?.apps.map((app) =>
      appApplication(platform, appNamed(platform, app), behaviour(appNamed(platform, app))),
    );
  }
  const app = folder === 'apps' ? platform.apps.get(name) : undefined;
  if (app === undefined) return undefined;
  return world.isEmpty(name)
    ? []
    : manifestsOf(platform, app, { behaviour: behaviour(app), providers: world.providers });
}

/** The projects of the stacks, the stacks' Applications, and the apps of stacks that have none. */
function rootContent({ platform, behaviour }: ContentWorld): PathContent {
  const { environment, stacks } = platform;
  const elsewhere = [...applicationNamespaces(platform)];
  const allowed = elsewhere.length === 0 ? {} : { sourceNamespaces: elsewhere };
  const homes = elsewhere.map((name): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  const ofStacks = [...stacks.values()].flatMap((stack) => [
    appProject(environment, stack.name, allowed),
    ...(stack.application === undefined
      ? stack.apps.map((app) => appApplication(platform, appNamed(platform, app), behaviour(appNamed(platform, app))))
      : [stackApplication(platform, stack, stack.application)]),
  ]);
  return [...homes, ...ofStacks];
}

/** `name`, `namespace/name` as people write it, or `namespace_name` as Argo CD marks objects. */
function bareName(application: string): string {
  return application.slice(Math.max(application.lastIndexOf('/'), application.lastIndexOf('_')) + 1);
}

function topApplications(platform: Platform, behaviour: (app: App) => Behaviour): KubeObject[] {
  if (platform.root !== undefined) return [rootApplication(platform, platform.root)];
  return [...platform.stacks.values()].flatMap((stack) =>
    stack.application === undefined
      ? stack.apps.map((app) => appApplication(platform, appNamed(platform, app), behaviour(appNamed(platform, app))))
      : [stackApplication(platform, stack, stack.application)],
  );
}

function appNamed(platform: Platform, name: string): App {
  const app = platform.apps.get(name);
  if (app === undefined) throw new Error(`the platform has no app ${name}, though a stack lists it`);
  return app;
}
