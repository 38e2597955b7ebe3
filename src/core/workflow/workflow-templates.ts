import { executorContainer, scratch } from './executor-container.ts';

/** What a task of a compiled Workflow refers to. */
export const stepTemplate = { name: 'tiphys-sync-and-wait', template: 'step', clusterScope: true } as const;
export const handOverTemplate = { name: 'tiphys-sync-and-wait', template: 'hand-over', clusterScope: true } as const;

/** Raised whenever steps and templates of two releases do not understand each other any more. */
export const templatesVersion = '1';
export const templatesVersionLabel = 'tiphys.dev/templates';

const day = 86_400;

/** What every Workflow of ours leaves behind, and for how long: failures are looked at later than successes. */
export const tidying = {
  podGC: { strategy: 'OnPodSuccess' },
  ttlStrategy: { secondsAfterSuccess: 3 * day, secondsAfterFailure: 14 * day },
} as const;

/** Steps run in the long-lived agent, or each in a pod of its own. */
export type StepRunner = { readonly kind: 'agent' } | { readonly kind: 'pod'; readonly image: string };

const inputs = ['node', 'sync-timeout', 'health-timeout', 'attempts', 'backoff'] as const;

/** The ClusterWorkflowTemplate that every step is an instance of. */
export function syncAndWaitTemplate(runner: StepRunner): ClusterWorkflowTemplate {
  const step = {
    name: stepTemplate.template,
    inputs: {
      parameters: [
        { name: 'node' },
        ...inputs.slice(1).map((name) => ({ name, value: '' })),
        { name: 'deadline', value: '24h' },
      ],
    },
    // Enforced while nobody has begun the step; whoever runs it keeps the time-outs inside.
    timeout: '{{inputs.parameters.deadline}}',
    ...run(runner, 'step', inputs),
  };
  const handOver = { name: handOverTemplate.template, timeout: '10m', ...run(runner, 'hand-over', []) };
  return clusterTemplate(stepTemplate.name, { templates: [step, handOver] });
}

export type ClusterWorkflowTemplate = Readonly<Record<string, unknown>>;

/** A ClusterWorkflowTemplate of this release. */
export function clusterTemplate(name: string, spec: object): ClusterWorkflowTemplate {
  const labels = { 'app.kubernetes.io/managed-by': 'tiphys', [templatesVersionLabel]: templatesVersion };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ClusterWorkflowTemplate',
    metadata: { name, labels },
    spec,
  };
}

function run(runner: StepRunner, what: string, names: readonly string[]): object {
  if (runner.kind === 'agent') {
    const values = Object.fromEntries(names.map((name) => [name, `{{inputs.parameters.${name}}}`]));
    return { plugin: { tiphys: { do: what, ...values } } };
  }
  return {
    // A pod that was lost has done no harm: the step finds what is there and goes on.
    retryStrategy: { limit: '3', retryPolicy: 'OnError', backoff: { duration: '5s', factor: '2' } },
    outputs: { parameters: [{ name: 'result', valueFrom: { path: resultFile, default: '' } }] },
    container: container(runner.image, what, names),
    volumes: [scratch],
  };
}

const resultFile = '/tmp/result.json';

function container(image: string, what: string, names: readonly string[]): object {
  const flags = names.filter((name) => name !== 'node').map((name) => `--${name}={{inputs.parameters.${name}}}`);
  const subject = what === 'step' ? ['{{inputs.parameters.node}}'] : ['--hand-over'];
  const where = ['--workflow={{workflow.name}}', '--namespace={{workflow.namespace}}', `--result=${resultFile}`];
  return executorContainer(image, { args: ['step', ...subject, ...where, ...flags] });
}
