import type { KubeObject } from '../store/objects.ts';
import type { Schema } from './schema.ts';

/** The definitions of Argo Workflows' kinds, as open as its minimal ones; install them with `installCrd`. */
export const workflowDefinitions: readonly KubeObject[] = [
  definition({ kind: 'Workflow', shortNames: ['wf'], columns: workflowColumns() }),
  definition({ kind: 'WorkflowTaskSet', shortNames: ['wfts'], hasStatus: true }),
  definition({ kind: 'WorkflowTaskResult', shortNames: [], required: ['metadata'] }),
  definition({ kind: 'WorkflowTemplate', shortNames: ['wftmpl'] }),
  definition({ kind: 'ClusterWorkflowTemplate', shortNames: ['clusterwftmpl', 'cwft'], scope: 'Cluster' }),
];

interface Parts {
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly columns?: readonly object[];
  readonly required?: readonly string[];
  /** As a subresource; a Workflow's status is written through the object itself. */
  readonly hasStatus?: boolean;
}

function definition(parts: Parts): KubeObject {
  const { kind, shortNames, scope = 'Namespaced', columns = [], required = ['metadata', 'spec'] } = parts;
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.argoproj.io` },
    spec: {
      group: 'argoproj.io',
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames },
      conversion: { strategy: 'None' },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          subresources: parts.hasStatus === true ? { status: {} } : {},
          schema: { openAPIV3Schema: schema(required) },
          ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
        },
      ],
    },
  };
}

function schema(required: readonly string[]): Schema {
  const open: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const string: Schema = { type: 'string' };
  return {
    type: 'object',
    properties: { apiVersion: string, kind: string, metadata: { type: 'object' }, spec: open, status: open },
    required,
    'x-kubernetes-preserve-unknown-fields': true,
  };
}

function workflowColumns(): readonly object[] {
  return [
    { name: 'Status', jsonPath: '.status.phase', type: 'string', description: 'Status of the workflow' },
    {
      name: 'Age',
      jsonPath: '.status.startedAt',
      type: 'date',
      format: 'date-time',
      description: 'When the workflow was started',
    },
    {
      name: 'Message',
      jsonPath: '.status.message',
      type: 'string',
      description: 'Human readable message indicating details about why the workflow is in this condition.',
    },
  ];
}
