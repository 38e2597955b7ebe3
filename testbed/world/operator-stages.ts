import { foreignFinalizer } from '../../src/sandbox/world/workload-script.ts';
import { annotations } from './annotations.ts';
import type { Stage } from './stage.ts';

/** A kind of custom resource whose operator is played. */
export interface OperatedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** How the operator of this kind behaves: takes objects over, reports their states one after the other, lets them go. An EventBus just works. */
export function operatorStages({ group, version, kind }: OperatedKind): readonly Stage[] {
  const stage = (does: string, spec: Omit<Stage['spec'], 'resourceRef'>): Stage => ({
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name: `${kind.toLowerCase()}.${group}-${does}` },
    spec: { resourceRef: { apiGroup: `${group}/${version}`, kind }, ...spec },
  });
  if (group === 'argoproj.io') return [stage('deploy', deploysAtOnce)];
  return [
    stage('adopt', {
      selector: { matchExpressions: [isLeaving('DoesNotExist'), { key: adopts, operator: 'In', values: ['true'] }] },
      next: { patches: [{ type: 'merge', template: finalizersTemplate('concat $kept $wanted | uniq') }] },
    }),
    stage('report', {
      selector: {
        matchExpressions: [
          isLeaving('DoesNotExist'),
          { key: adopts, operator: 'In', values: ['false'] },
          { key: nextAfter, operator: 'Exists' },
        ],
      },
      delay: { durationFrom: { expressionFrom: nextAfter } },
      next: { patches: [{ subresource: 'status', type: 'json', template: statusTemplate }] },
    }),
    stage('release', {
      selector: { matchExpressions: [isLeaving('Exists'), { key: releases, operator: 'In', values: ['true'] }] },
      delay: { durationFrom: { expressionFrom: `.metadata.annotations["${annotations.deleteAfter}"]` } },
      next: { patches: [{ type: 'merge', template: finalizersTemplate('$foreign') }] },
    }),
  ];
}

/** What Argo Events' controller reports of an EventBus whose pods are there. */
const deploysAtOnce: Omit<Stage['spec'], 'resourceRef'> = {
  selector: {
    matchExpressions: [
      isLeaving('DoesNotExist'),
      { key: '.status.conditions[]? | select( .type == "Deployed" ) | .status', operator: 'NotIn', values: ['True'] },
    ],
  },
  next: {
    statusTemplate: [
      'conditions:',
      '{{ range list "Configured" "Deployed" }}',
      '- type: {{ . }}',
      '  status: "True"',
      '  lastTransitionTime: {{ Now | Quote }}',
      '{{ end }}',
    ].join('\n'),
  },
};

function isLeaving(operator: 'Exists' | 'DoesNotExist') {
  return { key: '.metadata.deletionTimestamp', operator } as const;
}

const wanted = `((.metadata.annotations["${annotations.finalizers}"] // "") | split(",") | map(select(. != "")))`;
const held = '(.metadata.finalizers // [])';

/** Is one of the wanted finalizers missing, or one there that nobody wants any more? */
const adopts = `((${wanted} - ${held}) + ((${held} - ${wanted}) | map(select(. == "${foreignFinalizer}")))) | length > 0`;

/** Has it still a finalizer of its operator? */
const releases = `(${wanted} - ["${foreignFinalizer}"]) - ((${wanted} - ["${foreignFinalizer}"]) - ${held}) | length > 0`;

/**
 * When the next state is due. Where the script has come to is read from the status alone: kwok keeps nothing, and a script
 * that is replaced (Git was mended) goes on with the new one. A new generation begins it again.
 */
const nextAfter = [
  `. as $o | (.metadata.annotations["${annotations.script}"] | fromjson) as $script`,
  '| ($o.status // {} | del(.observedGeneration)) as $now',
  '| ([$script | to_entries[] | select(.value.status == $now) | .key] | last // -1) as $at',
  '| ($o.status.observedGeneration // $o.metadata.generation) as $seen',
  '| $script[if $seen == $o.metadata.generation then $at + 1 else 0 end].after',
].join('\n');

/** The same choice as in `nextAfter`, in the language of templates. */
const statusTemplate = `
{{ $script := fromJson (index .metadata.annotations "${annotations.script}") }}
{{ $now := dict }}{{ with .status }}{{ $now = fromJson (toJson .) }}{{ end }}
{{ $next := 0 }}
{{ range $index, $step := $script }}
{{ if deepEqual $step.status (omit $now "observedGeneration") }}{{ $next = int (add1 $index) }}{{ end }}
{{ end }}
{{ with $now.observedGeneration }}{{ if ne (int .) (int $.metadata.generation) }}{{ $next = 0 }}{{ end }}{{ end }}
{{ $step := index $script $next }}
{{ $status := $step.status }}
{{ if $step.observed }}{{ $status = merge (dict "observedGeneration" .metadata.generation) $status }}{{ end }}
- { op: add, path: /status, value: {{ toJson $status }} }
`;

/** The finalizers after the change; `$kept` are those of other people. */
function finalizersTemplate(after: string): string {
  return `
{{ $wanted := without (splitList "," (default "" (index .metadata.annotations "${annotations.finalizers}"))) "" }}
{{ $held := list }}{{ with .metadata.finalizers }}{{ $held = . }}{{ end }}
{{ $kept := without $held "${foreignFinalizer}" }}
{{ $foreign := list }}
{{ range $held }}{{ if or (eq . "${foreignFinalizer}") (not (has . $wanted)) }}{{ $foreign = append $foreign . }}{{ end }}{{ end }}
metadata: { finalizers: {{ toJson (${after}) }} }
`;
}
