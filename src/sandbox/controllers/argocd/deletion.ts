import type { KubeObject } from '../../store/objects.ts';
import { changeApplication, readApplication } from './application.ts';
import { removeObject } from './apply-task.ts';
import { waveOf } from './desired-state.ts';
import type { OperationSurroundings } from './operation.ts';
import type { Steps } from './routine.ts';

const finalizer = 'resources-finalizer.argocd.argoproj.io';

/** Does Argo CD have to delete the objects of this Application before it may go? */
export function hasCascadeFinalizer(application: KubeObject): boolean {
  return (application.metadata.finalizers ?? []).some((name) => name === finalizer || name.startsWith(`${finalizer}/`));
}

/** Deletes what the Application manages, last wave first, waits until all of it is gone, then lets the Application go. */
export function* cascadeDeletion({ context, state, marked, cached }: OperationSurroundings): Steps {
  yield { ms: context.timing.deletion(state.name) };
  for (;;) {
    const left = [...marked().values()].filter(isDeletable);
    const wave = Math.max(...left.map(waveOf));
    for (const object of left) if (waveOf(object) === wave) removeObject(context, object);
    // Argo CD looks at its cache: until that has caught up the Application stays.
    if ([...marked().values(), ...cached().values()].every((object) => !isDeletable(object))) break;
    yield 'change';
  }
  yield { ms: context.timing.operationStart(state.name) };
  if (readApplication(context.store, context.applicationType, state) === undefined) return;
  changeApplication(context.store, context.applicationType, state, (current) => ({
    ...current,
    metadata: {
      ...current.metadata,
      finalizers: (current.metadata.finalizers ?? []).filter(
        (name) => name !== finalizer && !name.startsWith(`${finalizer}/`),
      ),
    },
  }));
}

/** Definitions always stay when their Application goes, and so does what says `Delete=false` or carries Helm's keep policy. */
function isDeletable(object: KubeObject): boolean {
  const annotations = object.metadata.annotations ?? {};
  if (object.kind === 'CustomResourceDefinition' || annotations['helm.sh/resource-policy'] === 'keep') return false;
  return !(annotations['argocd.argoproj.io/sync-options'] ?? '').split(',').includes('Delete=false');
}
