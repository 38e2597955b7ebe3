import type { KubeObject } from '../store/objects.ts';
import type { Schema } from './schema.ts';

const string: Schema = { type: 'string' };
const integer: Schema = { type: 'integer' };
const boolean: Schema = { type: 'boolean' };
/** Anything, kept as it is. */
const open: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The definitions of Argo CD's kinds as far as this project uses them; install them with `installCrd`. */
export const applicationDefinition: KubeObject = definition({
  kind: 'Application',
  plural: 'applications',
  shortNames: ['app', 'apps'],
  schema: applicationSchema(),
  columns: [
    { name: 'Sync Status', jsonPath: '.status.sync.status', type: 'string' },
    { name: 'Health Status', jsonPath: '.status.health.status', type: 'string' },
    { name: 'Revision', jsonPath: '.status.sync.revision', type: 'string', priority: 10 },
    { name: 'Project', jsonPath: '.spec.project', type: 'string', priority: 10 },
  ],
});

export const appProjectDefinition: KubeObject = definition({
  kind: 'AppProject',
  plural: 'appprojects',
  shortNames: ['appproj', 'appprojs'],
  schema: appProjectSchema(),
  columns: [],
});

export const applicationSetDefinition: KubeObject = definition({
  kind: 'ApplicationSet',
  plural: 'applicationsets',
  shortNames: ['appset', 'appsets'],
  schema: object({ apiVersion: string, kind: string, metadata: { type: 'object' }, spec: open, status: open }, [
    'metadata',
    'spec',
  ]),
  columns: [],
  hasStatus: true,
});

interface Parts {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly schema: Schema;
  readonly columns: readonly object[];
  /** As a subresource. */
  readonly hasStatus?: boolean;
}

function definition({ kind, plural, shortNames, schema, columns, hasStatus = false }: Parts): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.argoproj.io`, labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    spec: {
      group: 'argoproj.io',
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames },
      conversion: { strategy: 'None' },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          // Argo CD's Application and AppProject have no status subresource.
          subresources: hasStatus ? { status: {} } : {},
          schema: { openAPIV3Schema: schema },
          ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
        },
      ],
    },
  };
}

function applicationSchema(): Schema {
  return object(
    {
      apiVersion: string,
      kind: string,
      metadata: { type: 'object' },
      operation: open,
      spec: applicationSpec(),
      status: open,
    },
    ['metadata', 'spec'],
  );
}

function applicationSpec(): Schema {
  const source = sourceSchema();
  return object(
    {
      destination: object({ name: string, namespace: string, server: string }),
      ignoreDifferences: list(
        object(
          {
            group: string,
            jqPathExpressions: list(string),
            jsonPointers: list(string),
            kind: string,
            managedFieldsManagers: list(string),
            name: string,
            namespace: string,
          },
          ['kind'],
        ),
      ),
      info: list(object({ name: string, value: string }, ['name', 'value'])),
      project: string,
      revisionHistoryLimit: integer,
      source,
      sourceHydrator: open,
      sources: list(source),
      syncPolicy: syncPolicySchema(),
    },
    ['destination', 'project'],
  );
}

function sourceSchema(): Schema {
  return object(
    {
      chart: string,
      directory: open,
      helm: open,
      kustomize: open,
      name: string,
      path: string,
      plugin: open,
      ref: string,
      repoURL: string,
      targetRevision: string,
    },
    ['repoURL'],
  );
}

function syncPolicySchema(): Schema {
  return object({
    automated: object({ allowEmpty: boolean, enabled: boolean, prune: boolean, selfHeal: boolean }),
    managedNamespaceMetadata: object({ annotations: map(string), labels: map(string) }),
    retry: object({
      backoff: object({ duration: string, factor: integer, maxDuration: string }),
      limit: integer,
      refresh: boolean,
    }),
    syncOptions: list(string),
  });
}

function appProjectSchema(): Schema {
  const groupKinds = list(object({ group: string, kind: string, name: string }, ['group', 'kind']));
  const spec = object({
    clusterResourceBlacklist: groupKinds,
    clusterResourceWhitelist: groupKinds,
    description: string,
    destinationServiceAccounts: list(open),
    destinations: list(object({ name: string, namespace: string, server: string })),
    namespaceResourceBlacklist: groupKinds,
    namespaceResourceWhitelist: groupKinds,
    orphanedResources: open,
    permitOnlyProjectScopedClusters: boolean,
    roles: list(open),
    signatureKeys: list(open),
    sourceNamespaces: list(string),
    sourceRepos: list(string),
    syncWindows: list(syncWindowSchema()),
  });
  const fields = { apiVersion: string, kind: string, metadata: { type: 'object' }, spec, status: open };
  return object(fields, ['metadata', 'spec']);
}

function syncWindowSchema(): Schema {
  return object({
    andOperator: boolean,
    applications: list(string),
    clusters: list(string),
    description: string,
    duration: string,
    kind: string,
    manualSync: boolean,
    namespaces: list(string),
    schedule: string,
    syncOverrun: boolean,
    timeZone: string,
  });
}

function object(properties: Readonly<Record<string, Schema>>, required?: readonly string[]): Schema {
  return { type: 'object', properties, ...(required === undefined ? {} : { required }) };
}
function list(items: Schema): Schema {
  return { type: 'array', items };
}
function map(additionalProperties: Schema): Schema {
  return { type: 'object', additionalProperties };
}
