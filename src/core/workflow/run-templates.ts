import { executorContainer, scratch } from './executor-container.ts';
import {
  type ClusterWorkflowTemplate,
  clusterTemplate,
  type StepRunner,
  syncAndWaitTemplate,
  tidying,
} from './workflow-templates.ts';

export interface TemplatesOptions {
  readonly steps: StepRunner['kind'];
  /** Of the executor; an agent does without it for steps, whole commands always run in a pod. */
  readonly image: string;
}

/** Everything that charts/tiphys installs as ClusterWorkflowTemplates, by name. */
export function workflowTemplates({ steps, image }: TemplatesOptions): readonly ClusterWorkflowTemplate[] {
  return [
    deployTemplate(image),
    syncAndWaitTemplate(steps === 'agent' ? { kind: 'agent' } : { kind: 'pod', image }),
    teardownTemplate(image),
    validateTemplate(image),
  ];
}

/** For Events and for people: observe, plan, and follow the run to its end. */
function deployTemplate(image: string): ClusterWorkflowTemplate {
  const action = { name: 'action', value: 'deploy', enum: ['deploy', 'validate', 'teardown'] };
  return wholeCommand(image, {
    name: 'tiphys-deploy',
    action: '{{inputs.parameters.action}}',
    parameters: [platform, scope, action, { name: 'confirm', value: '' }],
    env: [confirmVariable],
    // No mutex: the Workflow that it submits holds it. No second try: the run goes on without this pod, and refuses another one.
    more: {},
  });
}

/** Looks, and writes nothing. */
function validateTemplate(image: string): ClusterWorkflowTemplate {
  return wholeCommand(image, {
    name: 'tiphys-validate',
    action: 'validate',
    parameters: [platform, scope],
    env: [],
    more: { retryStrategy },
  });
}

/** Takes down what holds no data; volumes stay unless told. */
function teardownTemplate(image: string): ClusterWorkflowTemplate {
  const policy = { name: 'pv-policy', value: 'retain', enum: ['retain', 'snapshot', 'delete'] };
  return wholeCommand(image, {
    name: 'tiphys-teardown',
    action: 'teardown',
    parameters: [platform, scope, { name: 'confirm' }, policy],
    env: [confirmVariable, { name: 'PV_POLICY', value: '{{inputs.parameters.pv-policy}}' }],
    more: { retryStrategy },
  });
}

const platform = { name: 'platform' };
const scope = { name: 'scope', value: 'platform' };
// A variable, because only teardown knows the flag.
const confirmVariable = { name: 'CONFIRM', value: '{{inputs.parameters.confirm}}' };

/** A lost pod is tried again when its lease has run out. What has failed by itself has said why. */
const retryStrategy = { limit: '2', retryPolicy: 'OnError', backoff: { duration: '45s' } };

interface Whole {
  readonly name: string;
  readonly action: string;
  readonly parameters: readonly object[];
  readonly env: readonly object[];
  readonly more: object;
}

/** One command of the executor on the platform whose ConfigMap has its name. */
function wholeCommand(image: string, { name, action, parameters, env, more }: Whole): ClusterWorkflowTemplate {
  const args = [action, '/config', '--scope={{inputs.parameters.scope}}', '--engine=argo-workflows'];
  const mounts = [{ name: 'config', mountPath: '/config', readOnly: true }];
  const run = {
    name: 'run',
    inputs: { parameters: parameters.map(withoutChoices) },
    // Each command has the rights of its own account and no others.
    serviceAccountName: `tiphys-${action}`,
    ...more,
    container: executorContainer(image, { args, ...(env.length === 0 ? {} : { env }), mounts }),
    volumes: [scratch, { name: 'config', configMap: { name: '{{inputs.parameters.platform}}' } }],
  };
  return clusterTemplate(name, {
    entrypoint: 'run',
    arguments: { parameters },
    ...tidying,
    templates: [run],
  });
}

/** Choices are for who submits; a template's inputs are filled by name. */
function withoutChoices(parameter: object): object {
  return Object.fromEntries(Object.entries(parameter).filter(([key]) => key !== 'enum'));
}
