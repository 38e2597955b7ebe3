import type { KubeObject, ResourceType } from '../../store/objects.ts';
import type { Store } from '../../store/store.ts';
import type { SandboxTime } from '../../time.ts';
import type { Git } from '../../world/git.ts';
import type { ArgoTiming } from './timing.ts';

/** What every part of the controller works with. */
export interface ArgoContext {
  readonly store: Store;
  readonly time: SandboxTime;
  readonly git: Git;
  readonly timing: ArgoTiming;
  readonly behaviour: SyncBehaviour;
  /** Runs a health check from argocd-cm on an object and gives its status; undefined: nobody here runs Lua. */
  readonly runHealthScript: ((script: string, object: KubeObject) => string | undefined) | undefined;
  /** Where Argo CD lives, with its projects and settings. */
  readonly namespace: string;
  /** The kind as the cluster serves it now; undefined while its definition is missing. */
  readonly typeOf: (apiVersion: string, kind: string) => ResourceType | undefined;
  readonly applicationType: ResourceType;
  readonly projectType: ResourceType;
}

/** How the world answers a sync, by the name of the Application. */
export interface SyncBehaviour {
  /** How long the operation takes; undefined: as long as Argo CD itself needs. */
  readonly syncMs: (application: string) => number | undefined;
  /** Called once per attempt, before anything is applied. */
  readonly attempt?: (application: string) => void;
  /** Why the cluster refuses this object now; undefined when it takes it. */
  readonly refusal: (application: string, object: KubeObject) => string | undefined;
}
