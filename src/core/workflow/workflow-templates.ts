/** What a task of a compiled Workflow refers to. */
export const stepTemplate = { name: 'tiphys-sync-and-wait', template: 'step', clusterScope: true } as const;
export const handOverTemplate = { name: 'tiphys-sync-and-wait', template: 'hand-over', clusterScope: true } as const;

/** Raised whenever steps and templates of two releases do not understand each other any more. */
export const templatesVersion = '1';
export const templatesVersionLabel = 'tiphys.dev/templates';

/** Steps run in the long-lived agent, or each in a pod of its own. */
export type StepRunner = { readonly kind: 'agent' } | { readonly kind: 'pod'; readonly image: string };

const inputs = ['node', 'sync-timeout', 'health-timeout', 'attempts', 'backoff'] as const;

/** The ClusterWorkflowTemplate that every step is an instance of. */
export function syncAndWaitTemplate(runner: StepRunner): Readonly<Record<string, unknown>> {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ClusterWorkflowTemplate',
    metadata: {
      name: stepTemplate.name,
      labels: { 'app.kubernetes.io/managed-by': 'tiphys', [templatesVersionLabel]: templatesVersion },
    },
    spec: {
      templates: [
        {
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
        },
        { name: handOverTemplate.template, timeout: '10m', ...run(runner, 'hand-over', []) },
      ],
    },
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
    volumes: [{ name: 'tmp', emptyDir: {} }],
  };
}

const resultFile = '/tmp/result.json';

function container(image: string, what: string, names: readonly string[]): object {
  const flags = names.filter((name) => name !== 'node').map((name) => `--${name}={{inputs.parameters.${name}}}`);
  const subject = what === 'step' ? ['{{inputs.parameters.node}}'] : ['--hand-over'];
  const where = ['--workflow={{workflow.name}}', '--namespace={{workflow.namespace}}', `--result=${resultFile}`];
  return {
    image,
    command: ['executor'],
    args: ['step', ...subject, ...where, ...flags],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
  };
}
