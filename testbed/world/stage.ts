/** A rule of kwok's: what happens to an object that looks so, after a time. */
export interface Stage {
  readonly apiVersion: 'kwok.x-k8s.io/v1alpha1';
  readonly kind: 'Stage';
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly resourceRef: { readonly apiGroup: string; readonly kind: string };
    readonly selector: { readonly matchExpressions: readonly MatchExpression[] };
    readonly delay?: { readonly durationFrom: { readonly expressionFrom: string } };
    readonly next: object;
  };
}

/** `key` is a jq expression. */
interface MatchExpression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

export const stagesPath = '/apis/kwok.x-k8s.io/v1alpha1/stages';

/** Marks a stage that comes and goes with a definition: `<name>@<uid>`. */
export const definitionAnnotation = 'testbed.tiphys.dev/definition';

/** Stages stand in the cluster, where kwok follows them: those in a file may name no kind that is not defined yet. */
export const stageDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'stages.kwok.x-k8s.io' },
  spec: {
    group: 'kwok.x-k8s.io',
    scope: 'Cluster',
    names: { plural: 'stages', singular: 'stage', kind: 'Stage', listKind: 'StageList' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: { status: {} },
      },
    ],
  },
} as const;
