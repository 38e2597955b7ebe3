import type { WorkflowView } from '../core/workflow/workflow-view.ts';
import type { World } from './ports.ts';
import type { RunControl } from './run-control.ts';

/** Controller and agent answer within seconds; silence this long is worth a sentence. */
export const unseenMs = 30_000;

/** Asked at every look at a Workflow: says once when nobody works on it, with what to look at. */
export function silenceTeller(
  world: World,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  control: Pick<RunControl, 'emit' | 'stop'>,
): (view: WorkflowView) => Promise<void> {
  let lookedAt = world.clock.now();
  let told = '';
  return async (view) => {
    const isSilent = world.clock.now() - lookedAt >= unseenMs;
    lookedAt = world.clock.now();
    const waitsFor = waitingFor(view, isSilent) ?? (isSilent ? await deserted(world, control.stop) : undefined);
    if (waitsFor === undefined || waitsFor.message === told) return;
    told = waitsFor.message;
    control.emit({ type: 'warning', message: `Workflow ${namespace}/${name} ${told}`, hint: waitsFor.hint });
  };
}

interface Waiting {
  readonly message: string;
  readonly hint: string;
}

function waitingFor(view: WorkflowView, isSilent: boolean): Waiting | undefined {
  if (view.isSuspended) return { message: 'is suspended', hint: `\`argo resume ${view.name}\` lets it go on.` };
  if (view.phase === 'Pending' && view.message !== '') {
    return {
      message: `waits: ${view.message}`,
      hint: 'Another Workflow of this platform runs: `tiphys status` names it.',
    };
  }
  if (view.phase !== '' || !isSilent) return undefined;
  return {
    message: 'was not looked at',
    hint: 'Is the Argo Workflows controller running, and does it watch this namespace?',
  };
}

/** Whoever works on a run keeps its lease; a step that only waits for health is silent, too. */
async function deserted(world: World, signal: AbortSignal): Promise<Waiting | undefined> {
  const unknown = { holder: 'unknown' };
  const holder = await world.lease.holder(signal).catch(() => unknown);
  if (holder !== undefined) return undefined;
  return {
    message: 'has open tasks, and nobody works on them',
    hint: 'Is the Tiphys agent running? `kubectl get pods -l app.kubernetes.io/name=tiphys-agent -A`',
  };
}
