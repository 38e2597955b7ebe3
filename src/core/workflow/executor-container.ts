export interface ContainerOrder {
  readonly args: readonly string[];
  readonly env?: readonly object[];
  readonly mounts?: readonly object[];
}

/** The executor in a pod that passes the strictest pod security level: no root, no writable root, no privileges to gain. */
export function executorContainer(image: string, { args, env, mounts = [] }: ContainerOrder): object {
  return {
    image,
    command: ['executor'],
    args,
    ...(env === undefined ? {} : { env }),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      // A number, because a name in the image would not tell the kubelet that it is not root.
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: [{ name: scratch.name, mountPath: '/tmp' }, ...mounts],
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
  };
}

/** The only place that can be written. */
export const scratch = { name: 'tmp', emptyDir: {} } as const;
