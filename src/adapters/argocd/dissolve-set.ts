import { splitApplication } from '../../core/platform/application-name.ts';
import { OperatorError } from '../../engine/operator-error.ts';
import type { ApplicationView } from './application-view.ts';
import type { ApplicationViewOptions } from './application-watches.ts';

/** How long the garbage collector may take to let the Applications go. */
const patienceMs = 60_000;

/** Deletes the set alone; the garbage collector takes its name off the Applications it has made. */
export async function dissolveSet(
  view: ApplicationView,
  { client, clock, namespace: argocdNamespace }: ApplicationViewOptions,
  { set, applications }: { readonly set: string; readonly applications: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const { namespace = argocdNamespace, name } = splitApplication(set);
  const path = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applicationsets/${name}`;
  await client.delete(path, { propagationPolicy: 'Orphan' }, signal);
  const deadline = clock.now() + patienceMs;
  for (const application of applications) {
    while (view.application(application)?.madeBy === set) {
      if (clock.now() >= deadline) throw stillOwned(set, application);
      await view.changed(application, deadline, signal);
    }
  }
}

function stillOwned(set: string, application: string): OperatorError {
  return new OperatorError(`ApplicationSet ${set} was deleted, but ${application} still belongs to it`, {
    hint: 'Is the kube-controller-manager running? Its garbage collector takes the owner away.',
  });
}
