import type { Platform } from '../core/platform/platform.ts';
import { applicationDefinition, applicationSetDefinition, appProjectDefinition } from './api/argo-definitions.ts';
import { type Api, createApi } from './api/create-api.ts';
import type { ApiFaults } from './api/faults.ts';
import type { Handler } from './api/handler.ts';
import type { Identities } from './api/identities.ts';
import { workflowDefinitions } from './api/workflow-definitions.ts';
import type { WorkflowsContext } from './controllers/argo-workflows/operation.ts';
import { createWorkflows } from './controllers/argo-workflows/workflows.ts';
import { startApplicationSets } from './controllers/argocd/application-sets.ts';
import type { ArgoContext } from './controllers/argocd/argo-context.ts';
import { createArgoCd } from './controllers/argocd/argocd.ts';
import { type ArgoTiming, argoTiming } from './controllers/argocd/timing.ts';
import { startGarbageCollector } from './controllers/garbage-collector.ts';
import { type KindLookup, kindLookup } from './controllers/kind-lookup.ts';
import { startNamespaces } from './controllers/namespaces.ts';
import { startVolumes } from './controllers/volumes.ts';
import { createWorkloads } from './controllers/workloads.ts';
import type { KubeObject } from './store/objects.ts';
import { createResourceTypes, type ResourceTypes } from './store/resource-types.ts';
import { type Change, createStore, type Store } from './store/store.ts';
import type { SandboxTime } from './time.ts';
import type { Fault } from './world/fault.ts';
import type { PathContent } from './world/git.ts';
import { createRandom } from './world/random.ts';
import type { Scenario } from './world/scenario.ts';
import { seedCluster } from './world/seed-cluster.ts';
import { createServiceProxy } from './world/service-proxy.ts';
import { judge, type Truth } from './world/truth.ts';
import { type WorkloadScript, workloadScript } from './world/workload-script.ts';
import { createWorld, type World } from './world/world.ts';

export interface SandboxOptions {
  readonly time: SandboxTime;
  readonly platform?: Platform;
  readonly scenario?: Scenario;
  readonly faults?: readonly Fault[];
  /** Same seed, same events. */
  readonly seed?: number;
  /** `bare`: Argo CD is there, the platform's Applications are not. */
  readonly start?: 'bootstrapped' | 'bare';
  readonly apiFaults?: ApiFaults;
  readonly identities?: Identities;
  /** `all`: every request and every change from the beginning, for tests that judge from the record. Else only what the API needs. */
  readonly record?: 'all' | 'recent';
  readonly timing?: Partial<ArgoTiming>;
  /** Argo Workflows: how long after an event it looks at a Workflow again; 100 ms unless told, as we install it. */
  readonly workflows?: { readonly requeueMs?: number };
  /** For tests that play with other content than a platform's. */
  readonly content?: (path: string) => PathContent | undefined;
  /** Runs a Lua health check from argocd-cm and gives its status; without it only the one for nested Applications counts. */
  readonly runHealthScript?: (script: string, object: KubeObject) => string | undefined;
  readonly script?: (application: string, object: KubeObject) => WorkloadScript | undefined;
}

export interface Sandbox {
  readonly handle: Handler;
  readonly time: SandboxTime;
  readonly store: Store;
  readonly types: ResourceTypes;
  readonly world: World;
  readonly requests: Api['requests'];
  /** Everything that ever changed, in order; empty unless recorded. */
  readonly changes: readonly RecordedChange[];
  restartArgoCd(): void;
  restartWorkflows(): void;
  /** Takes the fault of this app away; its objects heal. */
  fix(app: string): void;
  /** Are all objects that Git wants for this Application there and really ready? Argo CD's opinion is not asked. */
  truth(application: string): Truth;
  stop(): void;
}

/** A change as tests need it: what, when, by whom. The object is the stored value itself and is never mutated. */
export type RecordedChange = Pick<Change, 'type' | 'object' | 'at' | 'by' | 'revision'>;

/** How far back a watch may resume; a real API server forgets after minutes. */
const recentChanges = 500;
const recentRequests = 100;

const argoDefinitions = [applicationDefinition, appProjectDefinition, applicationSetDefinition, ...workflowDefinitions];

/** A cluster with Argo CD and Argo Workflows, in memory. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { time, seed = 1 } = options;
  const isRecording = options.record === 'all';
  const store = createStore(time, isRecording ? {} : { keepHistory: recentChanges });
  const types = createResourceTypes();
  const world = createWorld({ ...options, seed });
  const changes: RecordedChange[] = [];
  if (isRecording) {
    store.subscribe(({ type, object, at, by, revision }) => changes.push({ type, object, at, by, revision }));
  }
  const typeOf = kindLookup(store, types);
  const script = options.script ?? ((name: string, object: KubeObject) => workloadScript(world, name, object));
  const workloads = createWorkloads({ store, time }, script);
  const serviceProxy = createServiceProxy({ store, time, world, typeOf });
  const api = createApi({
    store,
    types,
    time,
    serviceProxy: serviceProxy.answer,
    ...(isRecording ? {} : { keepRequests: recentRequests }),
    ...(options.identities === undefined ? {} : { identities: options.identities }),
    ...(options.apiFaults === undefined ? {} : { faults: options.apiFaults }),
  });
  seedCluster({ store, types }, world, { argoDefinitions, isBare: options.start === 'bare' });
  const argocdNamespace = options.platform?.environment.argocdNamespace ?? 'argocd';
  const stops = [
    startGarbageCollector({ store, types, time }),
    startNamespaces({ store, types, time }),
    startVolumes({ store, time, typeOf }),
    startApplicationSets({ store, time, typeOf }),
  ];
  const argocd = createArgoCd(argoContext({ store, time, world, typeOf, argocdNamespace }, options));
  const workflows = createWorkflows(workflowsContext({ store, time, typeOf }, options));

  return {
    handle: api.handle,
    requests: api.requests,
    time,
    store,
    types,
    world,
    changes,
    restartArgoCd: argocd.restart,
    restartWorkflows: workflows.restart,
    fix(app) {
      if (world.mend(app)) workloads.replay(world.platform?.apps.get(app)?.application ?? app);
    },
    truth: (application) =>
      judge({ store, world, typeOf, argocdNamespace, vaultState: serviceProxy.vaultState }, application),
    stop() {
      argocd.stop();
      workflows.stop();
      workloads.stop();
      for (const stop of stops) stop();
    },
  };
}

function workflowsContext(
  parts: Pick<WorkflowsContext, 'store' | 'time' | 'typeOf'>,
  { platform, workflows }: SandboxOptions,
): WorkflowsContext {
  const namespace = platform?.environment.workflowsNamespace ?? 'argo';
  return { ...parts, namespace, requeueMs: workflows?.requeueMs ?? 100 };
}

function argoContext(
  parts: {
    store: Store;
    time: SandboxTime;
    world: World;
    typeOf: KindLookup;
    argocdNamespace: string;
  },
  options: SandboxOptions,
): ArgoContext {
  const { world, typeOf } = parts;
  const applicationType = typeOf('argoproj.io/v1alpha1', 'Application');
  const projectType = typeOf('argoproj.io/v1alpha1', 'AppProject');
  if (applicationType === undefined || projectType === undefined) throw new Error("Argo CD's kinds are not defined");
  const failing = new Set<string>();
  return {
    store: parts.store,
    time: parts.time,
    typeOf,
    git: world.git,
    timing: argoTiming(createRandom(options.seed ?? 1), options.timing),
    namespace: parts.argocdNamespace,
    applicationType,
    projectType,
    runHealthScript: options.runHealthScript,
    behaviour: {
      syncMs(application) {
        const app = world.appOf(application);
        return app === undefined ? undefined : world.behaviour(app).syncMs;
      },
      attempt(application) {
        if (world.failsAttempt(application)) failing.add(application);
        else failing.delete(application);
      },
      refusal: (application, object) =>
        failing.has(application)
          ? `admission webhook "scenario.tiphys.dev" denied the request: ${object.kind} ${object.metadata.name} is refused on purpose`
          : undefined,
    },
  };
}
