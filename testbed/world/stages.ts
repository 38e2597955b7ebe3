import { parseAllDocuments, stringify } from 'yaml';
import { annotations } from './annotations.ts';
import type { Stage } from './stage.ts';

/** kwok's own stages for nodes and pods, with the times that pods carry in their annotations, as YAML; `left` are the labels of pods that kwok leaves to others. */
export function stagesFor(base: string, left: readonly string[] = []): string {
  const stages = parseAllDocuments(base).map((document) => document.toJS() as Stage);
  const missing = Object.keys(changes).filter((name) => !stages.some(({ metadata }) => metadata.name === name));
  if (missing.length > 0) throw new Error(`kwok's stages are not as expected: ${missing.join(', ')} is missing`);
  const changed = stages.map((stage) => changes[stage.metadata.name]?.(stage) ?? stage);
  const own = [...changed, podUnready].map((stage) =>
    stage.spec.resourceRef.kind === 'Pod' ? but(stage, left) : stage,
  );
  return own.map((stage) => stringify(stage, { aliasDuplicateObjects: false })).join('---\n');
}

const changes: Readonly<Record<string, (stage: Stage) => Stage>> = {
  'pod-ready': (stage) => delayed(unlessNever(stage), annotations.readyAfter),
  'pod-delete': (stage) => delayed(stage, annotations.deleteAfter),
};

function delayed(stage: Stage, annotation: string): Stage {
  return { ...stage, spec: { ...stage.spec, delay: { durationFrom: { expressionFrom: annotationOf(annotation) } } } };
}

function unlessNever(stage: Stage): Stage {
  return unless(stage, annotationOf(annotations.readyAfter), ['never']);
}

/** Without pods of these labels, `<part-of>/<component>`. */
function but(stage: Stage, left: readonly string[]): Stage {
  const labels = ['part-of', 'component'].map((name) => `.metadata.labels["app.kubernetes.io/${name}"]`);
  return left.length === 0 ? stage : unless(stage, `[${labels.join(', ')}] | join("/")`, left);
}

function unless(stage: Stage, key: string, values: readonly string[]): Stage {
  const matchExpressions = [...stage.spec.selector.matchExpressions, { key, operator: 'NotIn', values } as const];
  return { ...stage, spec: { ...stage.spec, selector: { matchExpressions } } };
}

function annotationOf(name: string): string {
  return `.metadata.annotations["${name}"]`;
}

/** A pod that ran and then stopped answering. */
const podUnready: Stage = {
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'Stage',
  metadata: { name: 'pod-unready' },
  spec: {
    resourceRef: { apiGroup: 'v1', kind: 'Pod' },
    selector: {
      matchExpressions: [
        { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' },
        { key: annotationOf(annotations.unreadyAfter), operator: 'Exists' },
        { key: '.status.phase', operator: 'In', values: ['Running'] },
        { key: '.status.conditions.[] | select( .type == "Ready" ) | .status', operator: 'In', values: ['True'] },
      ],
    },
    delay: { durationFrom: { expressionFrom: annotationOf(annotations.unreadyAfter) } },
    next: {
      statusTemplate: [
        'conditions:',
        '{{ range list "Ready" "ContainersReady" }}',
        '- type: {{ . }}',
        '  status: "False"',
        '  reason: ContainersNotReady',
        '  lastTransitionTime: {{ Now | Quote }}',
        '{{ end }}',
      ].join('\n'),
    },
  },
};
