import { heldIn, windowsOf } from '../../src/adapters/argocd/hold-window.ts';
import { nodeGraph } from '../../src/core/platform/node-graph.ts';
import type { App, Platform } from '../../src/core/platform/platform.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { KubeObject } from '../../src/sandbox/store/objects.ts';
import type { Change } from '../../src/sandbox/store/store.ts';
import { brokenMs } from './trouble.ts';

/**
 * Looks on from inside the cluster and writes down what breaks an invariant, at the moment it happens. It knows the graph and
 * the truth about the workloads; it never sees an event of the engine.
 */
export interface Witness {
  readonly violations: readonly string[];
  /** Application → how many whole syncs were started, by whomever; and how many of them by us. */
  readonly syncs: ReadonlyMap<string, number>;
  readonly ownSyncs: ReadonlyMap<string, number>;
  /** From now on removals are expected, and their order is checked. */
  expectRemoval(): void;
  /** This app broke just now: nobody can know it at once. */
  excuse(app: string): void;
  isExcused(app: string): boolean;
  /** Broke after its gate and is not mended yet: health that changes later is only shown (R3.7). */
  isBroken(app: string): boolean;
  /** A new commit is rolled out: what was Healthy once is enough for `once` needs. */
  expectUpgrade(): void;
}

export function watchCluster(sandbox: Sandbox, platform: Platform): Witness {
  const violations: string[] = [];
  const syncs = new Map<string, number>();
  const ownSyncs = new Map<string, number>();
  const byApplication = new Map([...platform.apps.values()].map((app) => [app.application, app]));
  const { graph, kindOf } = nodeGraph(platform);
  const brokenAt = new Map<string, number>();
  /** Applications whose sync under way began when it might: what it creates later is judged by that moment. */
  const begunInOrder = new Set<string>();
  let removing = false;
  let upgrading = false;

  sandbox.store.subscribe((change) => {
    if (change.object.kind === 'Application') application(change);
    else if (change.type === 'ADDED' && !removing) objectAppeared(change);
  });

  function application(change: Change): void {
    const app = byApplication.get(change.object.metadata.name);
    if (app === undefined) return;
    if (started(change)) {
      begunInOrder.delete(app.application);
      const operation = change.object['operation'] as Operation;
      const selective = (operation.sync?.resources ?? []).length > 0;
      if (!selective) {
        syncs.set(app.application, (syncs.get(app.application) ?? 0) + 1);
        if (operation.initiatedBy?.username === 'tiphys')
          ownSyncs.set(app.application, (ownSyncs.get(app.application) ?? 0) + 1);
        if (!removing) wholeSync(app, operation.initiatedBy?.username ?? 'auto-sync');
      }
      if (removing && operation.initiatedBy?.automated === true && isHeld(app.application))
        violations.push(`INV-5: auto-sync of ${app.name} during teardown`);
    }
    if (
      change.object.metadata.deletionTimestamp !== undefined &&
      change.previous?.metadata.deletionTimestamp === undefined &&
      change.type !== 'ADDED'
    )
      checkDependentsGone(app);
  }

  /** Before a teardown has set its hold, Argo CD may still be at its own work. */
  function isHeld(application: string): boolean {
    const type = sandbox.types.byPlural('argoproj.io', 'appprojects');
    const projects = type === undefined ? [] : sandbox.store.list(type);
    return projects.some((project) => heldIn(windowsOf(project), platform.name).includes(application));
  }

  function wholeSync(app: App, by: string): void {
    const before = violations.length;
    checkNeeds(app, app.name, `INV-1: sync of ${app.name} started by ${by}`);
    if (violations.length === before) begunInOrder.add(app.application);
  }

  /** No object of an app may appear before everything it needs is really healthy; objects of a part wait for the part's needs only. */
  function objectAppeared({ object }: Change): void {
    const app = byApplication.get(trackedBy(object));
    if (app === undefined || begunInOrder.has(app.application)) return;
    const part = [...app.parts.values()].find((candidate) => candidate.kinds.includes(object.kind));
    const node = part === undefined ? app.name : `${app.name}#${part.name}`;
    if (graph.has(node))
      checkNeeds(app, node, `INV-1: ${object.kind} ${object.metadata.name} of ${app.name} was created`);
  }

  function checkNeeds(app: App, node: string, what: string): void {
    for (const need of graph.get(node) ?? []) {
      const kind = kindOf(node, need);
      if (kind === 'soft' || (kind === 'once' && upgrading) || need.startsWith(`${app.name}#`)) continue;
      const [name = '', part] = need.split('#');
      const truth =
        part === undefined ? sandbox.truth(platform.apps.get(name)?.application ?? name) : partTruth(name, part);
      if (!truth.healthy && !isExcused(name))
        violations.push(`${what} while ${need}, which it needs, is not healthy: ${truth.why}`);
    }
  }

  function partTruth(name: string, partName: string): { healthy: boolean; why: string } {
    const app = platform.apps.get(name) as App;
    const kinds = app.parts.get(partName)?.kinds ?? [];
    const wanted = sandbox.world.git.read(pathOf(app), sandbox.world.git.head);
    if ('error' in wanted) return { healthy: false, why: wanted.error };
    const missing = wanted.objects.find((object) => {
      const type = kinds.includes(object.kind) ? sandbox.types.byKind(object.apiVersion, object.kind) : undefined;
      return (
        type !== undefined &&
        sandbox.store.get(type, type.namespaced ? object.metadata.namespace : undefined, object.metadata.name) ===
          undefined
      );
    });
    return missing === undefined
      ? { healthy: true, why: '' }
      : { healthy: false, why: `${missing.kind} ${missing.metadata.name} is not there` };
  }

  function pathOf(app: App): string {
    const type = sandbox.types.byPlural('argoproj.io', 'applications');
    const found =
      type === undefined ? undefined : sandbox.store.get(type, platform.environment.argocdNamespace, app.application);
    return (found?.['spec'] as { source?: { path?: string } } | undefined)?.source?.path ?? '';
  }

  /** INV-5: nothing is removed while something that depends on it exists. */
  function checkDependentsGone(app: App): void {
    const type = sandbox.types.byPlural('argoproj.io', 'applications');
    for (const other of platform.apps.values()) {
      if (type === undefined || !(graph.get(other.name)?.has(app.name) ?? false)) continue;
      if (sandbox.store.get(type, platform.environment.argocdNamespace, other.application) !== undefined)
        violations.push(`INV-5: ${app.name} was deleted while ${other.name}, which needs it, exists`);
    }
  }

  /** A verdict counts as fresh for half a minute; add the time a comparison takes. */
  function isExcused(app: string): boolean {
    return sandbox.time.now() - (brokenAt.get(app) ?? Number.NEGATIVE_INFINITY) < 35_000;
  }

  return {
    violations,
    syncs,
    ownSyncs,
    excuse: (app) => void brokenAt.set(app, sandbox.time.now()),
    isExcused,
    isBroken: (app) => sandbox.time.now() - (brokenAt.get(app) ?? Number.NEGATIVE_INFINITY) < brokenMs + 5_000,
    expectRemoval() {
      removing = true;
    },
    expectUpgrade() {
      upgrading = true;
    },
  };
}

interface Operation {
  readonly initiatedBy?: { readonly username?: string; readonly automated?: boolean };
  readonly sync?: { readonly resources?: readonly unknown[] };
}

function started({ object, previous, type }: Change): boolean {
  return type !== 'DELETED' && object['operation'] !== undefined && previous?.['operation'] === undefined;
}

/** `app:group/Kind:namespace/name`, as Argo CD marks what it manages. */
function trackedBy(object: KubeObject): string {
  return object.metadata.annotations?.['argocd.argoproj.io/tracking-id']?.split(':')[0] ?? '';
}
