import type { App } from '../../src/core/platform/platform.ts';
import { groupOf, type KubeObject } from '../../src/sandbox/store/objects.ts';
import { isVaultState } from '../../src/sandbox/world/vault.ts';
import { foreignFinalizer, type WorkloadScript, workloadScript } from '../../src/sandbox/world/workload-script.ts';
import { statusIn } from '../../src/sandbox/world/workload-status.ts';
import type { World } from '../../src/sandbox/world/world.ts';
import { annotations, type ScriptStep, type VaultWord } from './annotations.ts';
import { duration, type Pace, paced } from './pace.ts';

/** The object as Git holds it for the testbed: what the sandbox would play after its script stands in annotations. */
export function scriptObject(object: KubeObject, { world, app, pace }: Casting): KubeObject {
  const script = workloadScript(world, app.application, object);
  const role: Role = { script, app, world, pace };
  if (object.kind === 'PersistentVolumeClaim') return claim(object, script);
  if (podOwners.has(`${groupOf(object.apiVersion)}/${object.kind}`)) return podOwner(object, role);
  if (groupOf(object.apiVersion).includes('.')) return customResource(object, role);
  return withForeignFinalizer(object, script);
}

export interface Casting {
  readonly world: World;
  readonly app: App;
  readonly pace: Pace;
}

interface Role extends Casting {
  readonly script: WorkloadScript;
}

const podOwners = new Set(['apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'batch/Job']);

function customResource(object: KubeObject, { script, pace }: Role): KubeObject {
  if (statusIn(object, 'ready') === undefined) return object;
  return annotate(object, {
    [annotations.script]: JSON.stringify(steps(object, script.states, pace)),
    [annotations.deleteAfter]: duration(paced(script.deleteMs, pace)),
    ...(script.finalizers.length === 0 ? {} : { [annotations.finalizers]: script.finalizers.join(',') }),
  });
}

function steps(object: KubeObject, states: WorkloadScript['states'], pace: Pace): ScriptStep[] {
  const seen = new Set<string>();
  let beganMs = 0;
  return states.map(({ atMs, state }, index) => {
    const { observedGeneration, ...said } = statusIn(object, state) as Record<string, unknown>;
    // Where a script has come to is read from the status alone, so a state that comes twice must not look the same twice.
    const status = seen.has(state) ? { ...said, turn: index } : said;
    const after = duration(paced(Math.max(0, atMs - beganMs), pace));
    seen.add(state);
    beganMs = atMs;
    return { after, status, observed: observedGeneration !== undefined };
  });
}

function podOwner(object: KubeObject, role: Role): KubeObject {
  const spec = object['spec'] as { readonly template: PodTemplate };
  const template = {
    ...spec.template,
    metadata: { ...spec.template.metadata, annotations: podAnnotations(object, role) },
    spec: { ...spec.template.spec, ...(object.kind === 'Job' ? { restartPolicy: 'Never' } : {}) },
  };
  const owner = { ...object, spec: { ...spec, ...ownerSpec(object, role), template } };
  return object.kind === 'Job' ? owner : withForeignFinalizer(owner, role.script);
}

interface PodTemplate {
  readonly metadata: object;
  readonly spec: object;
}

/** What the workload's own controller has to know. */
function ownerSpec({ kind }: KubeObject, { script, pace }: Role): object {
  // A set that waits for one pod after the other would wait for ever for a broken one, even when Git has mended it.
  if (kind === 'StatefulSet') return { podManagementPolicy: 'Parallel' };
  const failing = script.states.find(({ state }) => state === 'degraded');
  if (kind !== 'Deployment' || failing === undefined) return {};
  return { progressDeadlineSeconds: Math.max(1, Math.ceil(paced(failing.atMs, pace) / 1000)) };
}

function podAnnotations({ kind }: KubeObject, { script, app, world, pace }: Role): Readonly<Record<string, string>> {
  const { states } = script;
  const ready = states.findIndex(({ state }) => state === 'ready');
  const began = states[ready];
  const ended = ready < 0 ? undefined : states[ready + 1];
  const words = app.type === 'vault' && kind === 'StatefulSet' ? vaultWords({ world, app, pace }) : [];
  return {
    [annotations.readyAfter]: began === undefined ? 'never' : duration(paced(began.atMs, pace)),
    [annotations.deleteAfter]: duration(paced(script.deleteMs, pace)),
    ...(began === undefined || ended === undefined
      ? {}
      : { [annotations.unreadyAfter]: duration(paced(ended.atMs - began.atMs, pace)) }),
    ...(words.length === 0 ? {} : { [annotations.vault]: JSON.stringify(words) }),
  };
}

function vaultWords({ world, app, pace }: Casting): VaultWord[] {
  if (world.fault(app.name, 'sealed') !== undefined) return [{ state: 'sealed' }];
  const words = (world.behaviour(app).states ?? []).filter(({ state }) => isVaultState(state));
  return words.map(({ state, forMs }) => ({
    state,
    ...(forMs === undefined ? {} : { forMs: paced(forMs, pace) }),
  }));
}

/** Said to have been bound before, with no volume to show for it, a claim is Lost; without that it gets a volume. */
function claim(object: KubeObject, { states }: WorkloadScript): KubeObject {
  const isLost = states.some(({ state }) => state === 'degraded');
  return isLost ? annotate(object, { 'pv.kubernetes.io/bind-completed': 'yes' }) : object;
}

function withForeignFinalizer(object: KubeObject, { finalizers }: WorkloadScript): KubeObject {
  if (!finalizers.includes(foreignFinalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [foreignFinalizer] } };
}

function annotate(object: KubeObject, more: Readonly<Record<string, string>>): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...more } } };
}
