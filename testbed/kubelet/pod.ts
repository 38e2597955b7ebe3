/** The part of a Pod that a kubelet reads. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly restartPolicy?: string;
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
  };
  readonly status?: PodStatus;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly Variable[];
  readonly envFrom?: readonly VariableSource[];
}

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: KeyReference;
    readonly secretKeyRef?: KeyReference;
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

export interface VariableSource {
  readonly prefix?: string;
  readonly configMapRef?: Reference;
  readonly secretRef?: Reference;
}

export interface Reference {
  readonly name: string;
  readonly optional?: boolean;
}

export interface KeyReference extends Reference {
  readonly key: string;
}

export interface PodStatus {
  readonly phase?: string;
  readonly podIP?: string;
  readonly startTime?: string;
  readonly conditions?: readonly Condition[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly lastTransitionTime?: string;
}

export interface ContainerStatus {
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: { readonly exitCode?: number; readonly reason?: string };
  };
}

/** Where the pod stands at the API server. */
export function podPath({ metadata: { namespace, name } }: Pod): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

/** Given to a node, and neither over nor on its way out. */
export function isOnNode({ metadata, spec, status }: Pod): boolean {
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return spec.nodeName !== undefined && metadata.deletionTimestamp === undefined && !isOver;
}
