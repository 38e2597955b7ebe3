import { stepTemplate, templatesVersion, templatesVersionLabel } from '../../core/workflow/workflow-templates.ts';
import { OperatorError } from '../../engine/operator-error.ts';
import { asOperatorError } from '../kubernetes/as-operator-error.ts';
import type { KubeClient } from '../kubernetes/client.ts';

interface Template {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
}

const group = '/apis/argoproj.io/v1alpha1';

/** Asked of what everybody may read: without the kinds, listing them would be a question of rights. */
export async function isInstalled(client: KubeClient, signal: AbortSignal): Promise<boolean> {
  const kinds = await client.get<{ resources: { name: string }[] }>(group, signal);
  return kinds?.resources.some(({ name }) => name === 'workflows') === true;
}

/** Throws what is missing before anything is written: the kinds of Argo Workflows, our templates, or their version. */
export async function templatesReady(client: KubeClient, namespace: string, signal: AbortSignal): Promise<void> {
  if (!(await asOperatorError('look for Argo Workflows', () => isInstalled(client, signal)))) {
    throw new OperatorError('Argo Workflows is not installed in this cluster', {
      hint: 'Install it, or use --engine embedded: the executor walks the same plan itself.',
    });
  }
  const path = `${group}/clusterworkflowtemplates/${stepTemplate.name}`;
  const template = await asOperatorError(`read ClusterWorkflowTemplate ${stepTemplate.name}`, () =>
    client.get<Template>(path, signal),
  );
  if (template === undefined) {
    throw new OperatorError(`ClusterWorkflowTemplate ${stepTemplate.name} is not in the cluster`, {
      hint: `Install charts/tiphys: \`helm upgrade --install tiphys charts/tiphys -n ${namespace}\`.`,
    });
  }
  const version = template.metadata.labels?.[templatesVersionLabel] ?? 'none';
  if (version === templatesVersion) return;
  throw new OperatorError(
    `ClusterWorkflowTemplate ${stepTemplate.name} is of version ${version}, this executor needs ${templatesVersion}`,
    { hint: 'Install charts/tiphys and the executor of the same release.' },
  );
}
