import { type ArgoPart, onHost, type Seat } from '../cluster/argo-parts.ts';
import { flags, type Probe } from '../cluster/component.ts';
import type { Pod } from './pod.ts';

/** One of the things that a pod of Argo's charts runs, and how it is run here. */
export type Part = StayingPart | PartWithEnd;

interface Played {
  readonly name: string;
  /** `<part-of>/<component>`, as the charts label its pods. */
  readonly label: string;
  /** The program on the host, found by PATH. */
  readonly program: string;
}

/** Runs until its pod goes. */
export interface StayingPart extends Played {
  readonly kind: 'stays';
  /** Does it talk to the API server? */
  readonly needsAccess: boolean;
  /** What it needs on a host; flags come behind those of the pod, and win. */
  readonly host: (seat: Seat) => Hosted;
}

export interface Hosted {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly ready: Probe;
}

/** A Job's: runs to its end with the words of its pod. */
export interface PartWithEnd extends Played {
  readonly kind: 'once';
}

export const parts: readonly Part[] = [
  {
    kind: 'stays',
    name: 'redis',
    label: 'argocd/redis',
    program: 'redis-server',
    needsAccess: false,
    host: ({ testbed: { ports } }) => ({
      args: ['--port', String(ports.redis), '--bind', '127.0.0.1'],
      env: {},
      ready: { port: ports.redis },
    }),
  },
  { ...argoPart('argocd-repo-server', 'argocd/repo-server'), needsAccess: false },
  argoPart('argocd-application-controller', 'argocd/application-controller'),
  argoPart('argocd-applicationset-controller', 'argocd/applicationset-controller'),
  argoPart('argocd-server', 'argocd/server'),
  argoPart('workflow-controller', 'argo-workflows/workflow-controller'),
  { kind: 'once', name: 'argocd-redis-secret-init', label: 'argocd/redis-secret-init', program: 'argocd' },
  { kind: 'once', name: 'argo-workflows-crd-install', label: 'argo-workflows/crds', program: 'kubectl' },
];

/** The pods that kwok leaves alone. */
export const playedLabels: readonly string[] = parts.map(({ label }) => label);

/** How the charts label this pod; pods whose label no part has are kwok's. */
export function labelOf({ metadata: { labels = {} } }: Pod): string {
  return `${labels['app.kubernetes.io/part-of'] ?? ''}/${labels['app.kubernetes.io/component'] ?? ''}`;
}

function argoPart(name: ArgoPart, label: string): StayingPart {
  return {
    kind: 'stays',
    name,
    label,
    program: name,
    needsAccess: true,
    host: (seat) => {
      const { flags: own, env, ready } = onHost[name](seat);
      return { args: flags(own), env, ready };
    },
  };
}
