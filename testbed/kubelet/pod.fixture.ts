import type { Container, Pod } from './pod.ts';

export interface PodOf {
  readonly label?: string;
  readonly template?: string;
  readonly age?: number;
  readonly container?: Partial<Container>;
  readonly status?: Pod['status'];
  readonly isLeaving?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Partial<Pod['spec']>;
}

/** A pod as the scheduler leaves it: on a node, and nothing has happened there yet. */
export function podOf(name: string, given: PodOf = {}): Pod {
  const { label = 'argocd/server', template = 'one', age = 0, container = {}, annotations = {} } = given;
  const [partOf = '', component = ''] = label.split('/');
  return {
    metadata: {
      name,
      namespace: 'argocd',
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: `2026-01-01T00:00:${String(30 - age).padStart(2, '0')}Z`,
      labels: {
        'app.kubernetes.io/part-of': partOf,
        'app.kubernetes.io/component': component,
        'pod-template-hash': template,
      },
      annotations,
      ...(given.isLeaving ? { deletionTimestamp: '2026-01-01T00:01:00Z' } : {}),
    },
    spec: {
      nodeName: 'node-1',
      serviceAccountName: 'server',
      containers: [{ name: 'main', image: 'argocd:1', ...container }],
      ...given.spec,
    },
    status: given.status ?? {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  };
}
