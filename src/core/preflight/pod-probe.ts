import type { Address } from './addresses.ts';
import { type Finding, failed, passed, unseen, warned } from './finding.ts';
import { placeOf } from './url-parts.ts';

/**
 * What the Pod runs: asks each address and leaves `<number> <answer>` where the kubelet picks it up. An answer is an HTTP status, `open` of a
 * port that took a connection, `000` of silence, or `---` of what this image has no program for: that nobody could ask must not look like a wall.
 *
 * How long a wget waits is not its own matter: there are some without the option, and Debian's busybox falls over it. So the shell ends everything
 * a few seconds after curl would have, and takes whoever has told nothing until then for silent.
 */
const script = `exec > /dev/termination-log
has() { command -v "$1" > /dev/null 2>&1; }
port() {
  case $(curl -s -o /dev/null -m 8 -w '%{time_connect}' "$1" < /dev/null) in
    *[1-9]*) echo open ;;
    *) echo 000 ;;
  esac
}
page() {
  said=$(wget -O /dev/null --no-check-certificate -S "$1" 2>&1)
  status=$(echo "$said" | sed -n 's/.*HTTP\\/[0-9.]* \\([0-9][0-9]*\\).*/\\1/p' | tail -n 1)
  if [ -n "$status" ]; then echo "$status"; return; fi
  case $said in
    *'TLS error'*) echo --- ;;
    *onnect*|*esolv*|*'bad address'*) echo 000 ;;
    *) echo --- ;;
  esac
}
ask() {
  case $1 in
    telnet:*) if has curl; then port "$1"; else echo ---; fi ;;
    *)
      if has curl; then curl -k -s -o /dev/null -m 8 -w '%{http_code}' "$1"
      elif has wget; then page "$1"
      else echo ---
      fi ;;
  esac
}
trap 'i=0; for url in "$@"; do i=$((i+1)); echo "$i 000"; done; exit 0' TERM
i=0
asking=
for url in "$@"; do
  i=$((i+1))
  ( answer=$(ask "$url"); echo "$i \${answer:-000}" ) &
  asking="$asking $!"
done
{ sleep 12 && kill $$; } &
wait $asking
`;

export interface ProbePodOrder {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly urls: readonly string[];
}

const ourName = { 'app.kubernetes.io/name': 'tiphys-preflight' } as const;

/** A Pod that is allowed nothing, and ends by itself. Certificates are not its matter: whoever pulls checks them. */
export function probePod({ name, namespace, image, urls }: ProbePodOrder): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { 'app.kubernetes.io/managed-by': 'tiphys', ...ourName } },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: 100,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65_534, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'probe',
          image,
          command: ['sh', '-c', script, 'probe', ...urls].map(verbatim),
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

/** A kubelet reads `$(name)` and `$$` in a command in its own way. */
function verbatim(word: string): string {
  return word.replaceAll('$', () => '$$');
}

/** Whether these are the labels of such a Pod: one that looks at the cluster is not a part of what it sees. */
export function isProbe(labels: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(ourName).every(([label, value]) => labels[label] === value);
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
  return /^(ErrImage|ImagePullBackOff|InvalidImageName|CreateContainer)/.test(
    containerStatuses?.[0]?.state?.waiting?.reason ?? '',
  );
}

export interface Probed {
  readonly about: string;
  /** As the Pod is told it. */
  readonly url: string;
  /** As people read it. */
  readonly address: string;
}

/** What a Pod can ask, each once; a folder of this machine is no matter of a Pod. */
export function probedAddresses(addresses: readonly Address[]): readonly Probed[] {
  const found = addresses.flatMap(({ about, reach }): Probed[] => {
    if (reach.by === 'file') return [];
    if (reach.by === 'http') return [{ about, url: reach.url, address: reach.url }];
    const host = reach.host.includes(':') ? `[${reach.host}]` : reach.host;
    return [{ about, url: `telnet://${host}:${reach.port}`, address: `${reach.host}:${reach.port}` }];
  });
  return [...new Map(found.map((one) => [one.url, one])).values()];
}

/** How it ended, and what the cluster says of a Pod that has not. */
export type ProbeEnd = ProbeStatus & { readonly complaint?: string | undefined };

/** What the Pod has seen, for each address; or why it has seen nothing. */
export function judgeProbe(end: ProbeEnd, probed: readonly Probed[], image: string): readonly Finding[] {
  const state = end.containerStatuses?.[0]?.state ?? {};
  if (state.waiting !== undefined && isOver(end)) return [notStarted(state.waiting, image)];
  const told = answersIn(state.terminated?.message ?? '');
  if (told.size > 0) return probed.map((one, index) => judgeAnswer(one, told.get(index + 1) ?? '000', image));
  return [
    unseen(
      'inside the cluster',
      whySilent(end, image),
      `\`preflight.image\` must have ${needed}. The events of its namespace may tell more: \`kubectl get events\`. A cluster of kwok runs no containers at all.`,
    ),
  ];
}

const needed = 'a shell and curl or wget';

function notStarted({ reason = '', message = '' }: { reason?: string; message?: string }, image: string): Finding {
  const saw = `the cluster cannot start ${image}: ${reason} ${message}`.trim();
  if (!reason.includes('Image'))
    return failed(
      'Pod',
      saw,
      'The node has the image and says why it does not run it. `preflight.image` names another.',
    );
  return failed(
    'Pod',
    saw,
    `Nodes cannot pull this image. Name one from your registry in environment.yaml: \`preflight.image\` (it needs ${needed}).`,
  );
}

/** `<number> <answer>`, a line each; the first counts, because those at the end are for whoever had none. */
function answersIn(message: string): ReadonlyMap<number, string> {
  const lines = message.matchAll(/^(\d+) (\d{3}|open|---)$/gm);
  return new Map([...lines].reverse().map(([, number, answer = '']) => [Number(number), answer]));
}

function judgeAnswer({ about, url, address }: Probed, answer: string, image: string): Finding {
  const endpoint = { address, from: 'cluster' as const };
  const place = placeOf(url);
  if (answer === '---') {
    const program = url.startsWith('telnet:')
      ? 'curl, which it takes to try a port'
      : 'curl and no wget that can ask it';
    return unseen(about, `${image} has no ${program}`, 'Name an image with a shell and curl: `preflight.image`.');
  }
  if (answer === '000')
    return {
      ...failed(
        about,
        `${place} does not answer inside the cluster`,
        'Open the way from the nodes, configure a proxy there, or use mirrors: `preflight.registries`.',
      ),
      endpoint,
    };
  if (answer === 'open') return { ...passed(about, `${place} takes connections inside the cluster`), endpoint };
  const saw = `${place} answered ${answer} inside the cluster`;
  if (Number(answer) >= 500) return { ...warned(about, saw, 'Somebody is there and in trouble; try again.'), endpoint };
  return { ...passed(about, saw), endpoint };
}

function whySilent({ phase = 'Unknown', conditions = [], complaint, ...end }: ProbeEnd, image: string): string {
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False')?.message;
  if (unscheduled !== undefined) return `the Pod finds no node: ${unscheduled}`;
  const { reason, message } = ownReason(end);
  const why = [reason, message ?? complaint].filter(Boolean).join(': ');
  return `the Pod with ${image} is ${phase} and has told nothing${why === '' ? '' : ` (${why})`}`;
}

function ownReason({ containerStatuses }: ProbeStatus): { reason?: string; message?: string } {
  const { waiting, terminated } = containerStatuses?.[0]?.state ?? {};
  return terminated ?? waiting ?? {};
}
