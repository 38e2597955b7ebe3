import { type Finding, failed, passed, unseen, warned } from './finding.ts';
import { placeOf } from './url-parts.ts';

/** What the Pod runs: asks each address and leaves `<number> <status>` where the kubelet picks it up. */
const script = `i=0
{
for url in "$@"; do
  i=$((i+1))
  (
    if command -v curl >/dev/null 2>&1; then
      status=$(curl -k -s -o /dev/null -m 8 -w '%{http_code}' "$url")
    else
      status=$(wget -T 8 -O /dev/null --no-check-certificate -S "$url" 2>&1 | sed -n 's/.*HTTP\\/[0-9.]* \\([0-9][0-9]*\\).*/\\1/p' | tail -n 1)
    fi
    echo "$i \${status:-000}"
  ) &
done
wait
} > /dev/termination-log
`;

export interface ProbePodOrder {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly urls: readonly string[];
}

/** A Pod that is allowed nothing, and ends by itself. Certificates are not its matter: whoever pulls checks them. */
export function probePod({ name, namespace, image, urls }: ProbePodOrder): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: { 'app.kubernetes.io/managed-by': 'tiphys', 'app.kubernetes.io/name': 'tiphys-preflight' },
    },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: 100,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65_534, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'probe',
          image,
          command: ['sh', '-c', script, 'probe', ...urls],
          resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '128Mi' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    },
  };
}

/** As much of the Pod as tells how it goes. */
export interface ProbeStatus {
  readonly phase?: string;
  readonly conditions?: readonly { type: string; status: string; message?: string }[];
  readonly containerStatuses?: readonly {
    readonly state?: {
      readonly waiting?: { reason?: string; message?: string };
      readonly terminated?: { message?: string; reason?: string };
    };
  }[];
}

/** Whether there is nothing more to wait for. */
export function isOver({ phase, containerStatuses }: ProbeStatus): boolean {
  if (phase === 'Succeeded' || phase === 'Failed') return true;
  return /^(ErrImagePull|ImagePullBackOff|InvalidImageName|CreateContainer)/.test(
    containerStatuses?.[0]?.state?.waiting?.reason ?? '',
  );
}

export interface Probed {
  readonly about: string;
  readonly url: string;
}

/** What the Pod has seen, for each address; or why it has seen nothing. */
export function judgeProbe(status: ProbeStatus, probed: readonly Probed[], image: string): readonly Finding[] {
  const state = status.containerStatuses?.[0]?.state ?? {};
  if (state.waiting !== undefined && isOver(status)) return [notStarted(state.waiting, image)];
  const told = statusesIn(state.terminated?.message ?? '');
  if (told.size === 0)
    return [
      unseen(
        'inside the cluster',
        whySilent(status),
        'Look at the events of its namespace: `kubectl get events`. A cluster of kwok runs no containers at all.',
      ),
    ];
  return probed.map(({ about, url }, index) => judgeCode(about, url, told.get(index + 1) ?? 0));
}

function notStarted({ reason = '', message = '' }: { reason?: string; message?: string }, image: string): Finding {
  return failed(
    'Pod',
    `the cluster cannot start ${image}: ${reason} ${message}`.trim(),
    'Nodes cannot pull this image. Name one from your registry in environment.yaml: `preflight.image` (it needs a shell and curl or wget).',
  );
}

/** `<number> <status>`, a line each. */
function statusesIn(message: string): ReadonlyMap<number, number> {
  return new Map([...message.matchAll(/^(\d+) (\d{3})$/gm)].map(([, number, code]) => [Number(number), Number(code)]));
}

function judgeCode(about: string, url: string, code: number): Finding {
  const endpoint = { address: url, from: 'cluster' as const };
  if (code === 0)
    return {
      ...failed(
        about,
        `${placeOf(url)} does not answer inside the cluster`,
        'Open the way from the nodes, configure a proxy there, or use mirrors: `preflight.registries`.',
      ),
      endpoint,
    };
  const saw = `${placeOf(url)} answered ${code} inside the cluster`;
  if (code >= 500) return { ...warned(about, saw, 'Somebody is there and in trouble; try again.'), endpoint };
  return { ...passed(about, saw), endpoint };
}

function whySilent({ phase = 'Unknown', conditions = [] }: ProbeStatus): string {
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False')?.message;
  return unscheduled === undefined
    ? `the Pod is ${phase} and has told nothing`
    : `the Pod finds no node: ${unscheduled}`;
}
